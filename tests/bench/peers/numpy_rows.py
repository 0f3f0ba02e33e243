#!/usr/bin/env python3
"""NumPy's rows, on the host's cores: numpy_rows.py [--json FILE] [--filter TEXT] [--quick]"""

import platform

import numpy as np
from array_cases import run_arrays, run_products
from common import Peer, numbers, square

DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64}


def main():
    peer = Peer("numpy", np.__version__, platform.processor() or platform.machine())
    n = peer.elements(24)
    x, y, z = numbers(1, n), numbers(2, n), np.empty(n, np.float32)
    u8 = (x * 255).astype(np.uint8)
    x64, y64, z64 = x[: n // 2].astype(np.float64), y[: n // 2].astype(np.float64), np.empty(n // 2)
    X, Y = x.reshape(square(n)), y.reshape(square(n)[::-1])
    row, column = y[: X.shape[1]], y[: X.shape[0], None]

    def root():
        np.sqrt(x, out=z)
        np.multiply(z, 2, out=z)
        np.add(z, y, out=z)

    def axpy():
        np.multiply(x, np.float32(2.5), out=z)
        np.add(z, y, out=z)

    def mean_square():
        np.subtract(x, y, out=z)
        return np.dot(z, z) / n

    ways = {
        "x+y": {"as written": lambda: x + y, "out=": lambda: np.add(x, y, out=z)},
        "sqrt(x)*2+y": {"as written": lambda: np.sqrt(x) * 2 + y, "out=": root},
        "2.5*x+y": {"as written": lambda: 2.5 * x + y, "out=": axpy},
        "exp(x)": {"as written": lambda: np.exp(x), "out=": lambda: np.exp(x, out=z)},
        "where(x<y,x,-y)": {"as written": lambda: np.where(x < y, x, -y)},
        "x+y f64": {"as written": lambda: x64 + y64, "out=": lambda: np.add(x64, y64, out=z64)},
        "u8 to f32 times 2": {"as written": lambda: u8.astype(np.float32) * 2},
        "x+row": {"as written": lambda: X + row, "out=": lambda: np.add(X, row, out=z.reshape(X.shape))},
        "x+column": {"as written": lambda: X + column, "out=": lambda: np.add(X, column, out=z.reshape(X.shape))},
        "x.T+y": {"as written": lambda: X.T + Y},
        "-x.T": {"contiguous": lambda: np.negative(X.T, out=z.reshape(Y.shape))},
        "mean((x-y)^2)": {"as written": lambda: np.mean((x - y) ** 2), "dot": mean_square},
        "sum": {"as written": lambda: x.sum()},
        "sum u8": {"as written": lambda: u8.sum()},
        "min and max": {"as written": lambda: (x.min(), x.max())},
        "sum axis 1": {"as written": lambda: X.sum(axis=1)},
        "sum axis 0": {"as written": lambda: X.sum(axis=0)},
        "sum axis 0 tall": {"as written": lambda: x.reshape(-1, 4).sum(axis=0)},
        "sum axis 0 wide": {"as written": lambda: x.reshape(16, -1).sum(axis=0)},
    }
    run_arrays(peer, n, x, y, u8, ways)
    run_products(peer, lambda a, dtype: a.astype(DTYPES[dtype]), gpu=False)
    small, other = x[:1000].copy(), y[:1000].copy()
    peer.case("launch", "array x+y in a loop", {"as written": lambda: small + other}, shape="1000")
    peer.write()


if __name__ == "__main__":
    main()
