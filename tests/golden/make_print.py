#!/usr/bin/env python3
"""Writes tests/golden/print.txt: arrays and NumPy's text of them. Needs NumPy 2.3 or later (earlier ones switch f32 to
the scientific form at another size).

    case DTYPE SHAPE PRECISION THRESHOLD EDGE_ITEMS LINE_WIDTH
    data HEX          the elements that the text shows, little-endian, in C order
    text LINES        so many lines follow
"""

import os
import sys

import numpy as np

DTYPES = {
    "bool": "bool",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
}
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "print.txt")


def shown(a, threshold, edge):
    if a.size > threshold:
        for axis, n in enumerate(a.shape):
            if n > 2 * edge:
                a = a.take([*range(edge), *range(n - edge, n)], axis)
    return np.ascontiguousarray(a)


def case(out, a, precision=8, threshold=1000, edge=3, width=75):
    np.set_printoptions(precision=precision, threshold=threshold, edgeitems=edge, linewidth=width)
    text = str(a).split("\n")
    shape = ",".join(map(str, a.shape)) or "-"
    data = shown(a, threshold, edge)
    data = data.astype(data.dtype.newbyteorder("<"))
    print("case", DTYPES[a.dtype.name], shape, precision, threshold, edge, width, file=out)
    print("data", data.tobytes().hex() or "-", file=out)
    print("text", len(text), file=out)
    for line in text:
        print(line, file=out)


def by_hand(out):
    f4, f8, c8 = "float32", "float64", "complex64"
    nan, inf = np.nan, np.inf
    lists = [
        [1, 2, 3],
        [0.1, 0.25, 1 / 3],
        [1e-45, 1],
        [-0.0, 0.0],
        [nan, inf, -inf],
        [nan, 1.5, -2],
        [nan],
        [inf, 1],
        [-inf],
        [1e5, 999999],
        [1e6],
        [999999.9, 0.5],
        [1e7, 1],
        [1e8, 1],
        [99999999, 1e5],
        [1e-4, 1],
        [9e-5, 0.01],
        [1e-5],
        [0.001, 1],
        [0.00099, 1],
        [1e10, 1e-10],
        [1e38, -1e38],
        [3.4e38],
        [0.5, 100.25, -1000.125],
        [123456.789, 1],
        [0.99999999999],
        [9.999999999e9],
        [1.0000000001, 2],
        [2**24 + 1.0],
        [16777216.0],
        [5.96046448e-08],
        [1.23456789012345e-5, 1e100 * 0 + 1],
        [0, 0, 0],
        [100, 1e3, 1e5],
        [1e3 + 1e-4, 1],
        [1, 1000.0001],
        [0.1 + 0.2, 0.3],
        [nan, 1e-10, 1e10, -inf],
    ]
    for values in lists:
        for dtype in f4, f8:
            case(out, np.array(values, dtype))
    for e in 300, 99, 100, -100, -300, -310, -323:
        case(out, np.array([1.5 * 10.0**e, -1], f8))
    for precision in 0, 1, 2, 3, 17:
        for values in [0.006, 0.004, 0.005, 0.5, 1.5, 2.5, 0.0009], [1e-9, 1.0], [1234.5678, 1.0], [0.0], [nan, 1e20]:
            for dtype in f4, f8:
                case(out, np.array(values, dtype), precision)
    # 0-d: as NumPy writes a number.
    for x in (
        0.0,
        -0.0,
        1.0,
        0.1,
        1 / 3,
        1e-4,
        9.9e-5,
        1e5,
        1e6,
        1e15,
        1e16,
        1e17,
        123456.7,
        nan,
        inf,
        -inf,
        -2.5,
        1e-45,
        1e22,
    ):
        for dtype in f4, f8:
            case(out, np.array(x, dtype))
    for z in (
        1 + 2j,
        2j,
        complex(-0.0, 2),
        complex(nan, -inf),
        complex(0, nan),
        1e10 + 1e-10j,
        complex(1.5, -0.0),
        0j,
        1e6 - 1j,
    ):
        case(out, np.array(z, c8))
        case(out, np.array([z, 1], c8))
    case(out, np.array([1 + 2j, -0.5 - 1e-3j, 100j, 7], c8))
    case(out, np.array([[1e10 + 1j, nan], [complex(inf, -inf), -1e-10j]], c8))
    for value in True, False:
        case(out, np.array(value))
    for dtype, value in ("int32", -(2**31)), ("int64", -(2**63)), ("uint8", 255), ("int64", 2**63 - 1):
        case(out, np.array(value, dtype))
        case(out, np.array([value, 0, 7], dtype))
    case(out, np.array([True, False, True]))
    case(out, np.array([[True], [False]]))
    for dtype in DTYPES:
        for shape in (0,), (0, 4), (3, 0, 2):
            case(out, np.zeros(shape, dtype))
        case(out, np.arange(24).reshape(2, 3, 4).astype(dtype))
        case(out, np.arange(8).reshape(1, 2, 1, 2, 1, 2, 1, 1).astype(dtype))
        case(out, np.arange(100).astype(dtype))
        case(out, np.arange(2000).astype(dtype))
        case(out, np.arange(3000).reshape(50, 60).astype(dtype))
        case(out, np.arange(7 * 8 * 30).reshape(7, 8, 30).astype(dtype))
    case(out, np.arange(1001))
    case(out, np.arange(1000).reshape(10, 100), width=40)
    for width in 1, 5, 10, 20, 40, 200:
        case(out, np.arange(30) * 1000, width=width)
        case(out, (np.arange(30) / 7).reshape(2, 15).astype(f4), width=width)
    for edge in 1, 2, 10, 2000:
        case(out, np.arange(100).reshape(10, 10), 8, 5, edge)
    case(out, np.arange(5), 8, 1, 3)
    case(out, np.arange(7), 8, 1, 3)


def at_random(out):
    rng = np.random.default_rng(20261201)
    for dtype in "float32", "float64", "complex64":
        for spread in 0, 1, 3, 8, 30:
            for shape in (7,), (3, 5), (4, 1, 3):

                def floats():
                    return rng.normal(size=shape) * 10.0 ** rng.integers(-spread, spread + 1, shape)

                a = floats() + 1j * floats() if dtype == "complex64" else floats()
                case(out, a.astype(dtype))
    # Above a power of two the nearest decimal need not be the shortest.
    case(out, (2.0 ** np.arange(-149, 128)).astype("float32"))
    case(out, 2.0 ** np.arange(-1074, 1024, 7), 17)


def main():
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 3):
        sys.exit("make_print.py: needs NumPy 2.3 or later")
    with open(PATH, "w", encoding="ascii") as out:
        print(f"# Written by make_print.py with NumPy {np.__version__}.", file=out)
        with np.errstate(all="ignore"):
            by_hand(out)
            at_random(out)


if __name__ == "__main__":
    main()
