#!/usr/bin/env python3
"""The public API driven from Python's ctypes: whatever a macro does, exported functions do as well.

    test_api.py LIBPLAIT.so

Exit status 77: there is no device. Standard library only.
"""

import sys
import unittest
from ctypes import byref, c_char_p, c_double, c_float, c_int32, c_int64, c_void_p, sizeof, string_at

import plait as p

lib = None
ctx = None


def tearDownModule():
    assert lib.plait_close(ctx) == p.OK


class Case(unittest.TestCase):
    def ok(self, status):
        if status != p.OK:
            self.fail(lib.plait_last_error().decode())

    def array(self, values, shape=None, dtype=p.F32):
        values = list(values)
        data = ((c_float if dtype == p.F32 else c_int32) * len(values))(*values)
        a = lib.plait_from_host(ctx, data, p.dims(*(shape or (len(values),))), dtype)
        self.assertTrue(a, lib.plait_last_error())
        return a

    def values(self, a, ctype=c_float, dtype=p.F32):
        n = lib.plait_array_count(a)
        out = (ctype * n)()
        self.ok(lib.plait_to_host(a, out, n, dtype))
        return list(out)

    def item(self, a):
        out = c_double()
        self.ok(lib.plait_item(a, byref(out)))
        return out.value

    def setUp(self):
        self.scope = lib.plait_scope_begin()
        lib.plait_clear_error()

    def tearDown(self):
        self.ok(lib.plait_scope_end(self.scope))


class Structs(Case):
    def test_dims_by_value(self):
        sizes = (c_int64 * 3)(2, 3, 4)
        d = lib.plait_shape(3, sizes)
        self.assertEqual(d, (2, 3, 4))
        self.assertEqual(lib.plait_shape_count(d), 24)
        self.assertEqual(lib.plait_array_shape(self.array(range(24), (2, 3, 4))), (2, 3, 4))
        self.assertEqual(lib.plait_array_shape(None).n, -1)
        self.assertEqual(lib.plait_shape(9, (c_int64 * 8)()).n, 9)
        self.assertEqual(lib.plait_shape(2**64 - 1, None).n, -1)

    def test_option_structs(self):
        for kind, init in (
            (p.CtxOpts, lib.plait_ctx_opts_init),
            (p.Stats, lib.plait_stats_init),
            (p.BufferOpts, lib.plait_buffer_opts_init),
            (p.QueueOpts, lib.plait_queue_opts_init),
            (p.ProgramOpts, lib.plait_program_opts_init),
            (p.ReduceOpts, lib.plait_reduce_opts_init),
            (p.PrintOpts, lib.plait_print_opts_init),
        ):
            opts = kind()
            init(byref(opts))
            self.assertEqual(opts.size, sizeof(kind))

    def test_version(self):
        self.assertRegex(lib.plait_version().decode(), r"^\d+\.\d+\.\d+$")


class Arrays(Case):
    def test_elementwise(self):
        x, y = self.array([1, 2, 3]), self.array([10, 20, 30])
        r = lib.plait_add(lib.plait_multiply(x, lib.plait_num(2)), y)
        self.assertEqual(self.values(r), [12, 24, 36])
        self.assertEqual(self.values(lib.plait_where(lib.plait_less(x, lib.plait_int(2)), y, x)), [10, 2, 3])
        self.assertEqual(self.values(r, c_int32, p.I32), [12, 24, 36])

    def test_views_and_reductions(self):
        a = self.array(range(6), (2, 3))
        self.assertEqual(self.values(lib.plait_transpose(a)), [0, 3, 1, 4, 2, 5])
        self.assertEqual(self.values(lib.plait_slice(a, 1, 2, -(2**63), -1)), [2, 1, 0, 5, 4, 3])
        self.assertEqual(self.item(lib.plait_sum(a)), 15)
        self.assertEqual(self.values(lib.plait_max_axis(a, 0)), [3, 4, 5])
        opts = p.ReduceOpts()
        lib.plait_reduce_opts_init(byref(opts))
        opts.axes = p.dims(-1)
        opts.keepdims = True
        r = lib.plait_sum_opt(a, lib.plait_none(), byref(opts))
        self.assertEqual(lib.plait_array_shape(r), (2, 1))
        self.assertEqual(self.values(r), [3, 12])
        n = c_int64()
        self.ok(lib.plait_item_int(lib.plait_sum(self.array([7, -9], dtype=p.I32)), byref(n)))
        self.assertEqual(n.value, -2)

    def test_text(self):
        text = c_void_p()
        self.ok(lib.plait_to_text(self.array([0.5, 1]), None, byref(text)))
        self.assertEqual(string_at(text.value), b"[0.5 1. ]")
        lib.plait_free(text)
        opts = p.PrintOpts()
        lib.plait_print_opts_init(byref(opts))
        opts.precision = 2
        self.ok(lib.plait_to_text(self.array([1 / 3]), byref(opts), byref(text)))
        self.assertEqual(string_at(text.value), b"[0.33]")
        lib.plait_free(text)

    def test_user_code(self):
        x, y = self.array([1, 2, 3]), self.array([4, 5, 6])
        both = (c_void_p * 2)(x, y)
        self.assertEqual(self.values(lib.plait_map_n(b"a*b + 1", both, 2, 0)), [5, 11, 19])
        program, kernel = c_void_p(), c_void_p()
        source = b"""
            kernel void axpy(global const float *x, global float *y, float a, int n)
            {
                int i = get_global_id(0);
                if (i < n) y[i] = FACTOR * a * x[i];
            }"""
        opts = p.ProgramOpts()
        lib.plait_program_opts_init(byref(opts))
        opts.defines = (c_char_p * 1)(b"FACTOR=2")
        opts.n_defines = 1
        self.ok(lib.plait_program_from_source(byref(program), ctx, source, byref(opts)))
        self.ok(lib.plait_kernel_create(byref(kernel), program, b"axpy"))
        args = (p.Arg * 4)(
            lib.plait_arg_in(x), lib.plait_arg_out(p.F32, p.dims(3)), lib.plait_arg_num(2.5), lib.plait_arg_int(3)
        )
        r = lib.plait_call1_n(kernel, lib.plait_grid_1d(3), args, 4)
        self.assertTrue(r, lib.plait_last_error())
        self.assertEqual(self.values(r), [5, 10, 15])
        lib.plait_kernel_release(kernel)
        lib.plait_program_release(program)


class Ownership(Case):
    def test_keep_outlives_its_scope(self):
        inner = lib.plait_scope_begin()
        kept = lib.plait_keep(lib.plait_add(self.array([1]), lib.plait_num(1)))
        self.ok(lib.plait_scope_end(inner))
        self.assertEqual(self.values(kept), [2])
        self.ok(lib.plait_release(kept))

    def test_assign(self):
        slot = c_void_p()
        self.ok(lib.plait_assign(byref(slot), self.array([1, 2])))
        inner = lib.plait_scope_begin()
        self.ok(lib.plait_assign(byref(slot), lib.plait_add(slot, slot)))
        self.ok(lib.plait_scope_end(inner))
        self.assertTrue(lib.plait_array_is_evaluated(slot))  # carried: the scope's end computed it
        self.assertEqual(self.values(slot), [2, 4])
        lib.plait_reshape(slot, p.dims(3))
        self.assertEqual(lib.plait_assign(byref(slot), None), p.E_SHAPE)
        self.assertFalse(slot)

    def test_pass_and_temp(self):
        inner = lib.plait_scope_begin()
        r = lib.plait_pass(lib.plait_temp(lib.plait_keep(self.array([3]))))
        self.ok(lib.plait_scope_end(inner))
        self.assertEqual(self.values(r), [3])

    def test_mistakes(self):
        a = self.array([1])
        self.assertEqual(lib.plait_release(a), p.E_OWNERSHIP)
        self.assertFalse(lib.plait_temp(a))
        self.assertEqual(lib.plait_scope_end(2**40), p.E_OWNERSHIP)
        self.assertEqual(lib.plait_release(None), p.OK)


class Errors(Case):
    def test_null_travels(self):
        a = self.array([1, 2, 3])
        r = lib.plait_sum(lib.plait_add(lib.plait_reshape(a, p.dims(2, 2)), a))
        self.assertFalse(r)
        out = c_double()
        self.assertEqual(lib.plait_item(r, byref(out)), p.E_SHAPE)
        self.assertIn(b"plait_reshape", lib.plait_last_error())
        self.assertEqual(lib.plait_last_status(), p.E_SHAPE)
        self.assertEqual(lib.plait_status_name(p.E_SHAPE), b"PLAIT_E_SHAPE")

    def test_refused(self):
        a = self.array([1, 2, 3])
        self.assertEqual(lib.plait_to_host(a, p.floats(0, 0), 2, p.F32), p.E_RANGE)
        self.assertFalse(lib.plait_zeros(ctx, p.dims(-1), p.F32))
        self.assertEqual(lib.plait_last_status(), p.E_SHAPE)
        self.assertFalse(lib.plait_zeros(ctx, lib.plait_shape(9, (c_int64 * 9)(*[1] * 9)), p.F32))
        self.assertFalse(lib.plait_zeros(ctx, p.dims(2), 99))
        self.assertEqual(lib.plait_last_status(), p.E_DTYPE)
        self.assertFalse(lib.plait_max_axis(a, 1))
        self.assertEqual(lib.plait_last_status(), p.E_AXIS)
        self.assertFalse(lib.plait_sum_opt(a, lib.plait_none(), byref(p.ReduceOpts())))
        self.assertEqual(lib.plait_last_status(), p.E_ARGUMENT)
        self.assertEqual(self.values(a), [1, 2, 3])

    def test_two_contexts(self):
        other = c_void_p()
        self.ok(lib.plait_open(byref(other), None))
        b = lib.plait_zeros(other, p.dims(3), p.F32)
        self.assertFalse(lib.plait_add(self.array([1, 2, 3]), b))
        self.assertEqual(lib.plait_last_status(), p.E_CONTEXT)
        b = lib.plait_keep(b)
        self.ok(lib.plait_close(other))
        self.assertEqual(lib.plait_to_host(b, p.floats(0, 0, 0), 3, p.F32), p.E_CLOSED)
        self.ok(lib.plait_release(b))


class Loops(unittest.TestCase):
    """Loops without scopes, as wrappers in other languages write them."""

    TURNS = 1000

    def stats(self):
        s = p.Stats()
        lib.plait_stats_init(byref(s))
        assert lib.plait_ctx_stats(ctx, byref(s)) == p.OK
        return s

    def test_descent(self):
        """1,000 turns with a loss read in each: no new kernel after the second, and nothing piles up."""
        n, d = 64, 3
        data = [((7 * i + 3 * j * j) % 11 - 5) / 5 for i in range(n) for j in range(d)]
        truth = [0.5, -1.25, 2]
        target = [sum(data[i * d + j] * truth[j] for j in range(d)) for i in range(n)]
        keep = lambda a: c_void_p(lib.plait_keep(a))
        x = keep(lib.plait_from_host(ctx, p.floats(*data), p.dims(n, d), p.F32))
        y = keep(lib.plait_from_host(ctx, p.floats(*target), p.dims(n), p.F32))
        w = keep(lib.plait_zeros(ctx, p.dims(d), p.F32))
        loss, first = c_double(), None
        for turn in range(self.TURNS):
            r = lib.plait_subtract(lib.plait_matmul(x, w), y)
            gradient = lib.plait_matmul(lib.plait_transpose(x), r)
            assert (
                lib.plait_assign(byref(w), lib.plait_subtract(w, lib.plait_multiply(lib.plait_num(0.5 / n), gradient)))
                == p.OK
            )
            assert lib.plait_item(lib.plait_mean(lib.plait_square(r)), byref(loss)) == p.OK
            self.assertEqual(lib.plait_step(ctx, byref(w), 1), p.OK)
            first = loss.value if turn == 0 else first
            if turn == 1:
                before = self.stats()
        after = self.stats()
        self.assertEqual(after.kernels, before.kernels)
        self.assertEqual(after.source_builds, before.source_builds)
        self.assertLessEqual(after.arrays, before.arrays + 1)
        self.assertLessEqual(after.buffers, before.buffers + 1)
        self.assertLess(loss.value, first * 1e-6)
        out = p.floats(*[0] * d)
        assert lib.plait_to_host(w, out, d, p.F32) == p.OK
        for got, expected in zip(out, truth):
            self.assertAlmostEqual(got, expected, places=3)
        for a in x, y, w:
            assert lib.plait_release(a) == p.OK

    def test_scopes(self):
        """The same discipline with scopes opened and closed by hand."""
        slot = c_void_p(lib.plait_keep(lib.plait_zeros(ctx, p.dims(4), p.F32)))
        for turn in range(100):
            scope = lib.plait_scope_begin()
            assert lib.plait_assign(byref(slot), lib.plait_add(slot, lib.plait_num(1))) == p.OK
            assert lib.plait_scope_end(scope) == p.OK
            if turn == 1:
                before = self.stats()
        self.assertEqual(self.stats().kernels, before.kernels)
        self.assertEqual(self.stats().arrays, before.arrays)
        out = p.floats(0, 0, 0, 0)
        assert lib.plait_to_host(slot, out, 4, p.F32) == p.OK
        self.assertEqual(list(out), [100] * 4)
        assert lib.plait_release(slot) == p.OK


def main():
    global lib, ctx
    lib = p.load(sys.argv.pop(1))
    ctx = c_void_p()
    status = lib.plait_open(byref(ctx), None)
    if status == p.E_NO_DEVICE:
        print("skipped:", lib.plait_last_error().decode())
        sys.exit(77)
    if status != p.OK:
        sys.exit(lib.plait_last_error().decode())
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
