#!/usr/bin/env python3
"""CuPy's rows, on an NVIDIA GPU: cupy_rows.py [--json FILE] [--filter TEXT] [--quick]"""

import cupy as cp
from array_cases import run_arrays, run_products
from common import Peer, numbers, square

DTYPES = {"f32": cp.float32, "f64": cp.float64, "c64": cp.complex64}


def main():
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    peer = Peer("cupy", cp.__version__, name, cp.cuda.Device().synchronize)
    n = peer.elements(27)
    x, y, z = cp.asarray(numbers(1, n)), cp.asarray(numbers(2, n)), cp.empty(n, cp.float32)
    u8 = (x * 255).astype(cp.uint8)
    x64, y64, z64 = x[: n // 2].astype(cp.float64), y[: n // 2].astype(cp.float64), cp.empty(n // 2)
    X, Y, Z = x.reshape(square(n)), y.reshape(square(n)[::-1]), z.reshape(square(n))
    row, column = y[: X.shape[1]], y[: X.shape[0], None]
    root = cp.ElementwiseKernel("T x, T y", "T z", "z = sqrt(x) * 2 + y", "root")
    axpy = cp.ElementwiseKernel("T x, T y", "T z", "z = (T)2.5 * x + y", "axpy")
    pick = cp.ElementwiseKernel("T x, T y", "T z", "z = x < y ? x : -y", "pick")
    widen = cp.ElementwiseKernel("uint8 x", "float32 z", "z = x * 2.0f", "widen")
    square_mean = cp.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a / _in_ind.size()", "0", "msd")
    ways = {
        "x+y": {"as written": lambda: x + y, "out=": lambda: cp.add(x, y, out=z)},
        "sqrt(x)*2+y": {"as written": lambda: cp.sqrt(x) * 2 + y, "own kernel": lambda: root(x, y, z)},
        "2.5*x+y": {"as written": lambda: 2.5 * x + y, "own kernel": lambda: axpy(x, y, z)},
        "exp(x)": {"as written": lambda: cp.exp(x), "out=": lambda: cp.exp(x, out=z)},
        "where(x<y,x,-y)": {"as written": lambda: cp.where(x < y, x, -y), "own kernel": lambda: pick(x, y, z)},
        "x+y f64": {"as written": lambda: x64 + y64, "out=": lambda: cp.add(x64, y64, out=z64)},
        "u8 to f32 times 2": {"as written": lambda: u8.astype(cp.float32) * 2, "own kernel": lambda: widen(u8, z)},
        "x+row": {"as written": lambda: X + row, "out=": lambda: cp.add(X, row, out=Z)},
        "x+column": {"as written": lambda: X + column, "out=": lambda: cp.add(X, column, out=Z)},
        "x.T+y": {"as written": lambda: X.T + Y},
        "-x.T": {"contiguous": lambda: cp.negative(X.T, out=z.reshape(Y.shape))},
        "mean((x-y)^2)": {"as written": lambda: ((x - y) ** 2).mean(), "own kernel": lambda: square_mean(x, y)},
        "sum": {"as written": lambda: x.sum()},
        "sum u8": {"as written": lambda: u8.sum()},
        "min and max": {"as written": lambda: (x.min(), x.max())},
        "sum axis 1": {"as written": lambda: X.sum(axis=1)},
        "sum axis 0": {"as written": lambda: X.sum(axis=0)},
        "sum axis 0 tall": {"as written": lambda: x.reshape(-1, 4).sum(axis=0)},
        "sum axis 0 wide": {"as written": lambda: x.reshape(16, -1).sum(axis=0)},
    }
    run_arrays(peer, n, x, y, u8, ways)
    run_products(peer, lambda a, dtype: cp.asarray(a).astype(DTYPES[dtype]), gpu=True)
    small, other, out = x[:1000].copy(), y[:1000].copy(), z[:1000].copy()
    ways = {"as written": lambda: small + other, "out=": lambda: cp.add(small, other, out=out)}
    peer.case("launch", "array x+y in a loop", ways, shape="1000")
    peer.case("launch", "array sum(x+y) read each turn", {"as written": lambda: float((small + other).sum())}, shape="1000")
    peer.write()


if __name__ == "__main__":
    main()
