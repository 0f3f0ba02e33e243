#!/usr/bin/env python3
"""Writes tests/golden/npy: .npy files as NumPy and others write them, good and bad. Needs NumPy.

The good ones hold known values, which tests/array/test_npy_format.c computes again: element i (in C order) is
i - 2 for signed and floating dtypes, (i - 2) + (i / 2) j for complex ones, i + 1 for unsigned ones, i % 2 for bool.
The fuzzer starts from all of them.
"""

import io
import os
import struct

import numpy as np
from numpy.lib import format as npy

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "npy")


def values(dtype, shape):
    i = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return (i % 2 == 1).astype(dtype)
    if kind == "u":
        return (i + 1).astype(dtype)
    if kind == "c":
        return ((i - 2) + 0.5j * i).astype(dtype)
    return (i - 2).astype(dtype)


def put(name, data):
    with open(os.path.join(FOLDER, name + ".npy"), "wb") as f:
        f.write(data)


def saved(array, version=None):
    out = io.BytesIO()
    npy.write_array(out, array, version=version)
    return out.getvalue()


def raw(header, data=b"", version=(1, 0), length=None):
    """A file with any text as its header; `length` claims another length than the header has."""
    if isinstance(header, str):
        header = header.encode("utf-8")
    length = len(header) if length is None else length
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", length) + header + data


def good():
    for dtype in "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16":
        name = np.dtype(dtype).name
        put(f"ok_{name}_c", saved(values(dtype, (2, 3))))
        if np.dtype(dtype).itemsize > 1:
            put(f"ok_{name}_big", saved(values(np.dtype(dtype).newbyteorder(">"), (2, 3))))
    put("ok_float32_fortran", saved(np.asfortranarray(values("f4", (3, 4, 2)))))
    put("ok_uint16_fortran_big", saved(np.asfortranarray(values(">u2", (33, 1, 2, 35)))))
    put("ok_int64_0d", saved(values("i8", ())))
    put("ok_float64_1d", saved(values("f8", (5,))))
    put("ok_int32_8d", saved(values("i4", (1, 2, 1, 2, 1, 2, 1, 3))))
    put("ok_float32_empty", saved(values("f4", (0, 4))))
    put("ok_float32_v2", saved(values("f4", (2, 3)), (2, 0)))
    put("ok_float32_v3", saved(values("f4", (2, 3)), (3, 0)))
    six = values("<f4", (2, 3)).tobytes()
    put("ok_float32_spacing", raw(" {  \"shape\":(2L ,3L,)\t,\n'fortran_order' :False,'descr':\"<f4\"}", six))
    put("ok_float32_trailing", raw("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", six + b"more"))


def bad():
    h = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }\n"
    six = values("<f4", (2, 3)).tobytes()
    put("bad_truncated", raw(h % "2, 3", six[:-1]))
    put("bad_no_elements", raw(h % "2, 3"))
    put("bad_huge", raw(h % f"{2**60},", six))
    put("bad_overflow", raw(h % f"{2**40}, {2**40}", six))
    put("bad_too_large_size", raw(h % f"{2**64}, 0", six))
    put("bad_negative", raw(h % "-1, 3", six))
    put("bad_nine_dimensions", raw(h % ("1, " * 9), six))
    put("bad_shape_number", raw(h % "6", six))
    put("bad_shape_list", raw("{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3], }\n", six))
    put("bad_shape_commas", raw(h % "2,,3", six))
    put("bad_shape_float", raw(h % "2.0, 3", six))
    put("bad_shape_open", raw("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3", six))
    put("bad_object", saved_object())
    put("bad_structured", saved(np.zeros(2, [("a", "<f4"), ("b", "<i4")])))
    put("bad_structured_unicode", saved(np.zeros(2, [("größe", "<f4")]), (3, 0)))
    put("bad_string", saved(np.array(["ab", "c"])))
    put("bad_datetime", saved(np.array(["2026-12-01"], "M8[D]")))
    put("bad_longdouble", raw(h.replace("<f4", "<f16") % "1,", bytes(16)))
    put("bad_no_order", raw(h.replace("<f4", "|f4") % "2, 3", six))
    put("bad_descr_empty", raw(h.replace("<f4", "") % "2, 3", six))
    put("bad_descr_nul", raw(h.replace("<f4", "<\0002") % "2, 3", six))
    put("bad_descr_number", raw("{'descr': 4, 'fortran_order': False, 'shape': (2, 3), }\n", six))
    put("bad_order_number", raw("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }\n", six))
    put("bad_missing_key", raw("{'descr': '<f4', 'shape': (2, 3), }\n", six))
    put("bad_extra_key", raw("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}\n", six))
    put("bad_twice", raw("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}\n", six))
    put("bad_unended_string", raw("{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}\n", six))
    put("bad_escape", raw("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2, 3)}\n", six))
    put("bad_no_comma", raw("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}\n", six))
    put("bad_no_colon", raw("{'descr' '<f4', 'fortran_order': False, 'shape': (2, 3)}\n", six))
    put("bad_no_brace", raw("'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)\n", six))
    put("bad_after", raw(h % "2, 3" + "x", six))
    put("bad_empty_header", raw("", six))
    put("bad_header_length", raw(h % "2, 3", six, length=60000))
    put("bad_header_length_4g", raw(h % "2, 3", six, (2, 0), 2**32 - 1))
    put("bad_version", raw(h % "2, 3", six, (4, 0)))
    put("bad_minor", raw(h % "2, 3", six, (1, 1)))
    put("bad_in_version", b"\x93NUMPY\x01")
    put("bad_in_length", b"\x93NUMPY\x02\x00\x10\x00")
    put("bad_magic", b"\x93NUMPX" + raw(h % "2, 3", six)[6:])
    put("bad_zip", b"PK\x03\x04" + bytes(26))
    put("bad_empty", b"")


def saved_object():
    out = io.BytesIO()
    npy.write_array(out, np.array([1, "a"], object), allow_pickle=True)
    return out.getvalue()


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for name in os.listdir(FOLDER):
        os.remove(os.path.join(FOLDER, name))
    good()
    bad()


if __name__ == "__main__":
    main()
