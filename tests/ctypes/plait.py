"""The public API as ctypes sees it: only what the tests here use. Standard library only."""

import ctypes
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)

(
    OK,
    E_NULL,
    E_ARGUMENT,
    E_SHAPE,
    E_DTYPE,
    E_AXIS,
    E_RANGE,
    E_CONTEXT,
    E_CLOSED,
    E_OWNERSHIP,
    E_UNSUPPORTED,
    E_NO_DEVICE,
) = range(12)
BOOL, I32, I64, U8, F32, F64, C64 = 1, 4, 5, 6, 12, 13, 14

MAX_DIMS = 8


class Dims(Structure):
    """plait_dims, passed and returned by value."""

    _fields_ = [("n", c_int32), ("d", c_int64 * MAX_DIMS)]

    def __eq__(self, other):
        return self.tuple() == tuple(other)

    def tuple(self):
        return tuple(self.d[: self.n])


class CtxOpts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("device", c_char_p),
        ("memory_limit", c_uint64),
        ("cache_folder", c_char_p),
        ("real", c_int),
        ("log", c_void_p),
        ("log_user", c_void_p),
        ("log_level", c_int),
        ("profile", c_bool),
        ("track_leaks", c_bool),
    ]


class Stats(Structure):
    _fields_ = [("size", c_size_t)] + [
        (name, c_uint64)
        for name in (
            "source_builds binary_loads program_hits cache_rejects build_ns kernels launches bytes_to_device "
            "bytes_from_device memory_held memory_used memory_peak buffers arrays"
        ).split()
    ]


class ReduceOpts(Structure):
    _fields_ = [("size", c_size_t), ("axes", Dims), ("keepdims", c_bool), ("dtype", c_int)]


class BufferOpts(Structure):
    _fields_ = [("size", c_size_t), ("data", c_void_p)]


class QueueOpts(Structure):
    _fields_ = [("size", c_size_t), ("profile", c_bool)]


class ProgramOpts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("options", c_char_p),
        ("defines", POINTER(c_char_p)),
        ("n_defines", c_size_t),
        ("include_dirs", POINTER(c_char_p)),
        ("n_include_dirs", c_size_t),
        ("no_cache", c_bool),
    ]


class PrintOpts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("precision", c_int),
        ("threshold", c_int),
        ("edge_items", c_int),
        ("line_width", c_int),
    ]


class Grid(Structure):
    _fields_ = [("dims", ctypes.c_uint32), ("round_up", c_bool), ("global_", c_size_t * 3), ("group", c_size_t * 3)]


class Value(ctypes.Union):
    _fields_ = [("i", c_int64), ("u", c_uint64), ("f", c_double), ("raw", ctypes.c_ubyte * 16)]


class Arg(Structure):
    """plait_arg: made by the library's functions, never here."""

    _fields_ = [
        ("kind", c_int32),
        ("dtype", c_int32),
        ("bytes", c_size_t),
        ("pointer", c_void_p),
        ("value", Value),
        ("is_float", c_bool),
        ("shape", Dims),
    ]


ARRAY = c_void_p
SIGNATURES = {
    "plait_version": (c_char_p,),
    "plait_free": (None, c_void_p),
    "plait_last_error": (c_char_p,),
    "plait_last_status": (c_int,),
    "plait_clear_error": (None,),
    "plait_status_name": (c_char_p, c_int),
    "plait_ctx_opts_init": (None, POINTER(CtxOpts)),
    "plait_buffer_opts_init": (None, POINTER(BufferOpts)),
    "plait_queue_opts_init": (None, POINTER(QueueOpts)),
    "plait_program_opts_init": (None, POINTER(ProgramOpts)),
    "plait_print_opts_init": (None, POINTER(PrintOpts)),
    "plait_open": (c_int, POINTER(c_void_p), POINTER(CtxOpts)),
    "plait_close": (c_int, c_void_p),
    "plait_stats_init": (None, POINTER(Stats)),
    "plait_ctx_stats": (c_int, c_void_p, POINTER(Stats)),
    "plait_shape": (Dims, c_size_t, POINTER(c_int64)),
    "plait_shape_count": (c_int64, Dims),
    "plait_none": (ARRAY,),
    "plait_array_dtype": (c_int, ARRAY),
    "plait_array_shape": (Dims, ARRAY),
    "plait_array_count": (c_size_t, ARRAY),
    "plait_array_is_evaluated": (c_bool, ARRAY),
    "plait_keep": (ARRAY, ARRAY),
    "plait_release": (c_int, ARRAY),
    "plait_assign": (c_int, POINTER(ARRAY), ARRAY),
    "plait_temp": (ARRAY, ARRAY),
    "plait_pass": (ARRAY, ARRAY),
    "plait_drain": (c_int, c_void_p),
    "plait_scope_begin": (c_uint64,),
    "plait_scope_end": (c_int, c_uint64),
    "plait_eval": (c_int, POINTER(ARRAY), c_size_t),
    "plait_step": (c_int, c_void_p, POINTER(ARRAY), c_size_t),
    "plait_num": (ARRAY, c_double),
    "plait_int": (ARRAY, c_int64),
    "plait_complex": (ARRAY, c_double, c_double),
    "plait_zeros": (ARRAY, c_void_p, Dims, c_int),
    "plait_arange": (ARRAY, c_void_p, c_double, c_double, c_double, c_int),
    "plait_from_host": (ARRAY, c_void_p, c_void_p, Dims, c_int),
    "plait_astype": (ARRAY, ARRAY, c_int),
    "plait_to_host": (c_int, ARRAY, c_void_p, c_size_t, c_int),
    "plait_item": (c_int, ARRAY, POINTER(c_double)),
    "plait_item_int": (c_int, ARRAY, POINTER(c_int64)),
    "plait_to_text": (c_int, ARRAY, POINTER(PrintOpts), POINTER(c_void_p)),
    "plait_add": (ARRAY, ARRAY, ARRAY),
    "plait_subtract": (ARRAY, ARRAY, ARRAY),
    "plait_multiply": (ARRAY, ARRAY, ARRAY),
    "plait_square": (ARRAY, ARRAY),
    "plait_less": (ARRAY, ARRAY, ARRAY),
    "plait_where": (ARRAY, ARRAY, ARRAY, ARRAY),
    "plait_reduce_opts_init": (None, POINTER(ReduceOpts)),
    "plait_sum": (ARRAY, ARRAY),
    "plait_mean": (ARRAY, ARRAY),
    "plait_max_axis": (ARRAY, ARRAY, c_int),
    "plait_sum_opt": (ARRAY, ARRAY, ARRAY, POINTER(ReduceOpts)),
    "plait_reshape": (ARRAY, ARRAY, Dims),
    "plait_transpose": (ARRAY, ARRAY),
    "plait_slice": (ARRAY, ARRAY, c_int, c_int64, c_int64, c_int64),
    "plait_matmul": (ARRAY, ARRAY, ARRAY),
    "plait_map_n": (ARRAY, c_char_p, POINTER(ARRAY), c_size_t, c_int),
    "plait_program_from_source": (c_int, POINTER(c_void_p), c_void_p, c_char_p, POINTER(ProgramOpts)),
    "plait_program_release": (None, c_void_p),
    "plait_kernel_create": (c_int, POINTER(c_void_p), c_void_p, c_char_p),
    "plait_kernel_release": (None, c_void_p),
    "plait_grid_1d": (Grid, c_size_t),
    "plait_arg_in": (Arg, ARRAY),
    "plait_arg_out": (Arg, c_int, Dims),
    "plait_arg_int": (Arg, c_int64),
    "plait_arg_num": (Arg, c_double),
    "plait_call1_n": (ARRAY, c_void_p, Grid, POINTER(Arg), c_size_t),
}


def load(path):
    library = ctypes.CDLL(path)
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


def dims(*sizes):
    return Dims(len(sizes), (c_int64 * MAX_DIMS)(*sizes))


def floats(*values):
    return (c_float * len(values))(*values)
