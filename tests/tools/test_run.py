#!/usr/bin/env python3
"""plait run: every kind of argument, what it prints, and what it says to every kind of mistake."""

import struct
import unittest

import support
from support import Case, npy, plait, png, read_npy, read_png

KERNELS = """
kernel void scale(global const float *x, global float *y, float factor)
{
    size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    y[i] = factor * x[i];
}

kernel void bump(global int *x, int by, uint times)
{
    x[get_global_id(0)] += by * (int)times;
}

kernel void group_sums(global const float *x, global float *sums, local float *part, int n)
{
    int i = get_global_id(0), l = get_local_id(0);
    part[l] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float sum = 0;
        for (int k = 0; k < (int)get_local_size(0); k++) {
            sum += part[k];
        }
        sums[get_group_id(0)] = sum;
    }
}

kernel void invert(global const uchar4 *src, global uchar4 *dst)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    dst[i] = (uchar4)(255, 255, 255, 0) ^ src[i];
}

kernel void double_words(global const ushort *src, global ushort *dst)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    dst[i] = 2 * src[i];
}

kernel void where_am_i(global int *out)
{
    size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    out[i] = get_global_size(0) + 100 * get_global_size(1) + 10000 * get_global_size(2);
}

kernel void big(global ulong *out, ulong value)
{
    out[get_global_id(0)] = value;
}
"""


class Run(Case):
    def setUp(self):
        super().setUp()
        self.write("k.cl", KERNELS)
        self.write("x.npy", npy("f", (6,), [1, 2, 3, 4, 5, 6]))

    def run_in(self, *arguments, **more):
        return plait("run", *arguments, cwd=self.folder, **more)

    # ---- what works ----

    def test_npy_in_and_out(self):
        done = self.run_in("k.cl:scale", "x.npy", "out:y.npy:f32:2x3", "-0.5")
        self.expect(0, done, "device", "kernel   scale", "grid     3x2", "GB/s", "wrote    y.npy: f32 of 2x3")
        self.assertEqual(read_npy(self.folder / "y.npy"), ("<f4", (2, 3), [-0.5, -1, -1.5, -2, -2.5, -3]))

    def test_output_like_the_first_input(self):
        self.expect(0, self.run_in("k.cl:scale", "x.npy", "out:y.npy", "2"))
        self.assertEqual(read_npy(self.folder / "y.npy"), ("<f4", (6,), [2, 4, 6, 8, 10, 12]))

    def test_only_one_kernel_needs_no_name(self):
        self.write("one.cl", KERNELS[:KERNELS.index("kernel void bump")])
        self.expect(0, self.run_in("one.cl", "x.npy", "out:y.npy", "1e0"))
        self.assertEqual(read_npy(self.folder / "y.npy")[2], [1, 2, 3, 4, 5, 6])

    def test_inout_and_repeat(self):
        """Each launch starts from the file's data, however often it is repeated."""
        self.write("i.npy", npy("i", (4,), [0, 10, 20, 30]))
        done = self.run_in("k.cl:bump", "inout:i.npy:o.npy", "-3", "0x2", "--repeat", 5)
        self.expect(0, done, "best", "median", "of 5")
        self.assertEqual(read_npy(self.folder / "o.npy"), ("<i4", (4,), [-6, 4, 14, 24]))
        self.assertEqual(read_npy(self.folder / "i.npy")[2], [0, 10, 20, 30])

    def test_local_memory_groups_and_round_up(self):
        done = self.run_in("k.cl:group_sums", "x.npy", "out:s.npy:f32:2", "local:4:f32", 6, "--grid", "6", "--group", "4",
                           "--round-up")
        self.expect(0, done, "in groups of 4, rounded up")
        self.assertEqual(read_npy(self.folder / "s.npy")[2], [10, 11])

    def test_pictures(self):
        samples = [(7 * i) % 256 for i in range(5 * 3 * 4)]
        self.write("p.png", png(5, 3, 4, samples))
        self.expect(0, self.run_in("k.cl:invert", "p.png", "out:q.png:u8:3x5x4"), "grid     5x3")
        flipped = [s if i % 4 == 3 else 255 - s for i, s in enumerate(samples)]
        self.assertEqual(read_png(self.folder / "q.png"), (5, 3, 4, 8, flipped))

    def test_pictures_of_16_bits(self):
        self.write("p.png", png(3, 2, 1, [0, 1, 256, 1000, 30000, 32767], bits=16))
        self.expect(0, self.run_in("k.cl:double_words", "p.png", "out:q.png"), "grid     3x2")
        self.assertEqual(read_png(self.folder / "q.png"), (3, 2, 1, 16, [0, 2, 512, 2000, 60000, 65534]))

    def test_default_grid(self):
        """Last axis first; a fourth axis joins the third."""
        self.expect(0, self.run_in("k.cl:where_am_i", "out:w.npy:i32:2x3x4x5"), "grid     5x4x6")
        self.assertEqual(set(read_npy(self.folder / "w.npy")[2]), {5 + 400 + 60000})

    def test_wide_numbers(self):
        self.expect(0, self.run_in("k.cl:big", "out:w.npy:u64:1", 2**64 - 1))
        self.assertEqual(read_npy(self.folder / "w.npy")[2], [2**64 - 1])

    def test_defines_and_includes(self):
        (self.folder / "inc dir").mkdir()
        (self.folder / "inc dir" / "more.h").write_text("#define SCALE(v) (FACTOR * (v))\n")
        self.write("inc.cl", '#include "more.h"\nkernel void f(global const float *x, global float *y)\n'
                             "{ size_t i = get_global_id(0); y[i] = SCALE(x[i]) + OFFSET; }\n")
        self.expect(0, self.run_in("inc.cl", "x.npy", "out:y.npy", "-I", "inc dir", "-D", "FACTOR=3", "-DOFFSET=1",
                                   "--options", "-cl-mad-enable"))
        self.assertEqual(read_npy(self.folder / "y.npy")[2], [4, 7, 10, 13, 16, 19])

    def test_second_run_comes_from_the_cache(self):
        self.run_in("k.cl:big", "out:w.npy:u64:1", 1)
        self.expect(0, self.run_in("k.cl:big", "out:w.npy:u64:1", 1), "from the cache")

    def test_empty_arrays(self):
        self.write("none.npy", npy("f", (0, 3), []))
        self.expect(0, self.run_in("k.cl:scale", "none.npy", "out:y.npy", 2))
        self.assertEqual(read_npy(self.folder / "y.npy"), ("<f4", (0, 3), []))

    def test_fortran_order_and_big_endian(self):
        """Other layouts of the same values arrive in C order."""
        self.write("f.npy", npy("f", (2, 3), [1, 4, 2, 5, 3, 6], fortran=True))
        self.expect(0, self.run_in("k.cl:scale", "f.npy", "out:y.npy", 1))
        self.assertEqual(read_npy(self.folder / "y.npy"), ("<f4", (2, 3), [1, 2, 3, 4, 5, 6]))
        head = npy("f", (2,), [], descr=">f4")
        self.write("b.npy", head + struct.pack(">2f", 1.5, -2))
        self.expect(0, self.run_in("k.cl:scale", "b.npy", "out:y.npy", 1))
        self.assertEqual(read_npy(self.folder / "y.npy"), ("<f4", (2,), [1.5, -2]))

    # ---- the source ----

    def test_missing_and_empty_source(self):
        self.expect(5, self.run_in("nothing.cl", "x.npy"), "nothing.cl")
        self.write("empty.cl", "")
        self.expect(5, self.run_in("empty.cl", "x.npy"), "empty.cl is empty")
        self.write("blank.cl", "\n  \n")
        self.expect(5, self.run_in("blank.cl", "x.npy"), "blank.cl is empty")

    def test_syntax_error_shows_the_line(self):
        self.write("bad.cl", "kernel void f(global float *x)\n{\n    x[0] = undeclared_thing + 1;\n}\n")
        self.expect(4, self.run_in("bad.cl", "x.npy"), "bad.cl:3", "undeclared_thing", "x[0] = undeclared_thing + 1;")

    def test_missing_include(self):
        self.write("inc.cl", '#include "gone.h"\nkernel void f(global float *x) { }\n')
        self.expect(4, self.run_in("inc.cl", "x.npy"), "gone.h")

    def test_unknown_kernel_lists_those_there(self):
        self.expect(6, self.run_in("k.cl:blur", "x.npy"), "blur", "scale", "group_sums")
        self.expect(2, self.run_in("k.cl:not a name", "x.npy"), "not a name")

    def test_several_kernels_are_listed(self):
        self.expect(2, self.run_in("k.cl"), "7 kernels", "scale(", "float factor", "local float* part", "k.cl:scale")

    # ---- the arguments ----

    def test_wrong_number_of_arguments(self):
        self.expect(6, self.run_in("k.cl:scale", "x.npy", "out:y.npy"), "takes 3 arguments", "2 were given", "factor")

    def test_wrong_kind_of_argument(self):
        self.expect(6, self.run_in("k.cl:scale", 3, "out:y.npy:f32:6", 2), "argument 0", "x")
        self.expect(6, self.run_in("k.cl:scale", "x.npy", "out:y.npy", "x.npy"), "argument 2", "factor", "a number")
        self.expect(6, self.run_in("k.cl:group_sums", "x.npy", "out:y.npy", 4, 6), "argument 2", "part", "local:")
        self.expect(6, self.run_in("k.cl:scale", "out:y.npy:f32:6", "x.npy", 2), "argument 0", "const")

    def test_wrong_dtype(self):
        self.write("d.npy", npy("d", (3,), [1, 2, 3]))
        self.expect(6, self.run_in("k.cl:scale", "d.npy", "out:y.npy:f32:3", 1), "argument 0", "f32", "f64")
        self.expect(6, self.run_in("k.cl:invert", "x.npy", "out:y.npy:u8:3x5x3"), "argument 1", "uchar4")

    def test_numbers_that_do_not_fit(self):
        self.write("i.npy", npy("i", (4,), [0, 1, 2, 3]))
        self.expect(6, self.run_in("k.cl:bump", "inout:i.npy:o.npy", "1.5", 1), "by")
        self.expect(6, self.run_in("k.cl:bump", "inout:i.npy:o.npy", 2**31, 1), "by")
        self.expect(6, self.run_in("k.cl:bump", "inout:i.npy:o.npy", 1, -1), "times")

    def test_words_that_are_no_argument(self):
        for word in ("data.csv", "out:y.npy:f32", "out:y.npy:f33:4", "out:y.npy:f32:4x", "out:y.npy:f32:axb",
                     "out:y.npy:f32:1x1x1x1x1x1x1x1x1", "out:y.npy:f32:4294967296x4294967296", "local:0:f32", "local:4",
                     "local:4:f33", "inout:x.npy", "1.2.3", "out:q.png:f32:4x4", "out:q.png:u8:4x4x5", "out:q.png:u8:4",
                     "", "out:"):
            with self.subTest(word):
                done = self.run_in("k.cl:scale", "x.npy", word, 1)
                self.expect(2, done)
                self.assertIn(word, done.stderr)

    def test_options(self):
        for options in (["--grid", "0x-1"], ["--grid", "a"], ["--grid", "1x1x1x1"], ["--group", "0"], ["--repeat", "0"],
                        ["--repeat", "many"], ["--repeat"], ["--fast"], ["--group", "2x2"]):
            with self.subTest(options):
                self.expect(2, self.run_in("k.cl:scale", "x.npy", "out:y.npy", 1, *options), options[0])
        self.expect(2, self.run_in(), "FILE.cl")
        self.expect(3, self.run_in("k.cl:scale", "x.npy", "out:y.npy", 1, "--device", "no such device"), "no such device")

    def test_group_that_does_not_divide(self):
        done = self.run_in("k.cl:scale", "x.npy", "out:y.npy", 1, "--group", 4)
        self.expect(1, done, "4", "6", "8", "--round-up")
        self.assertFalse((self.folder / "y.npy").exists())

    def test_grid_of_zero_launches_nothing(self):
        self.expect(0, self.run_in("k.cl:scale", "x.npy", "out:y.npy", 1, "--grid", 0))
        self.assertEqual(read_npy(self.folder / "y.npy")[2], [0] * 6)

    def test_too_large_for_the_device(self):
        device = support.info()[1]
        largest = device["devices"][device["device"]]["max_allocation"]
        done = self.run_in("k.cl:big", f"out:w.npy:u8:{largest + 8}", 1, "--grid", 1)
        self.assertIn(done.returncode, (1, 6), done.stderr)
        self.assertIn("plait:", done.stderr)

    # ---- the files ----

    def test_bad_npy(self):
        good = npy("f", (6,), [1, 2, 3, 4, 5, 6])
        bad = {
            "truncated": good[:-1],
            "no header": good[:9],
            "no npy": b"PK\3\4" + bytes(100),
            "empty": b"",
            "objects": npy("f", (1,), [1], descr="|O"),
            "huge": npy("f", (2**60,), [1]),
            "overflowing": npy("f", (2**40, 2**40), [1]),
            "negative": npy("f", (-1,), [1]),
            "garbage": npy("f", (), [], head="{'descr': nonsense"),
        }
        for name, content in bad.items():
            with self.subTest(name):
                self.write("bad.npy", content)
                self.expect(5, self.run_in("k.cl:scale", "bad.npy", "out:y.npy:f32:1", 1), "bad.npy")
        self.expect(5, self.run_in("k.cl:scale", "absent.npy", "out:y.npy:f32:1", 1), "absent.npy")

    def test_bad_png(self):
        good = png(4, 4, 3, list(range(48)))
        bad = {"cut": good[:60], "empty": b"", "text": b"hello", "flipped": good[:45] + b"\xff" + good[46:]}
        for name, content in bad.items():
            with self.subTest(name):
                self.write("bad.png", content)
                self.expect(5, self.run_in("k.cl:invert", "bad.png", "out:q.png:u8:4x4x4"), "bad.png")

    def test_output_that_cannot_be_written(self):
        self.expect(5, self.run_in("k.cl:scale", "x.npy", "out:no/such/folder/y.npy", 1), "no/such/folder/y.npy")
        self.expect(5, self.run_in("k.cl:invert", "x.npy", "out:no/such/folder/y.png:u8:2x3x4"), "no/such/folder/y.png")


if __name__ == "__main__":
    support.require_device()
    unittest.main()
