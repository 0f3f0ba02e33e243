#!/usr/bin/env python3
"""PyTorch's rows, on an NVIDIA GPU: torch_rows.py [--json FILE] [--filter TEXT] [--quick]"""

import torch
from array_cases import run_arrays, run_products
from common import Peer, numbers, square

DTYPES = {"f32": torch.float32, "f64": torch.float64, "c64": torch.complex64}


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    peer = Peer("torch", torch.__version__, torch.cuda.get_device_name(0), torch.cuda.synchronize)
    n = peer.elements(27)
    x, y = torch.from_numpy(numbers(1, n)).cuda(), torch.from_numpy(numbers(2, n)).cuda()
    z, u8 = torch.empty_like(x), (x * 255).to(torch.uint8)
    x64, y64 = x[: n // 2].double(), y[: n // 2].double()
    X, Y = x.view(square(n)), y.view(square(n)[::-1])
    row, column = y[: X.shape[1]], y[: X.shape[0], None]
    compiled = {
        "root": torch.compile(lambda x, y: torch.sqrt(x) * 2 + y),
        "mean": torch.compile(lambda x, y: ((x - y) ** 2).mean()),
    }
    ways = {
        "x+y": {"as written": lambda: x + y, "out=": lambda: torch.add(x, y, out=z)},
        "sqrt(x)*2+y": {"as written": lambda: torch.sqrt(x) * 2 + y, "compiled": lambda: compiled["root"](x, y)},
        "2.5*x+y": {"as written": lambda: 2.5 * x + y, "alpha=": lambda: torch.add(y, x, alpha=2.5)},
        "exp(x)": {"as written": lambda: torch.exp(x)},
        "where(x<y,x,-y)": {"as written": lambda: torch.where(x < y, x, -y)},
        "x+y f64": {"as written": lambda: x64 + y64},
        "u8 to f32 times 2": {"as written": lambda: u8.float() * 2},
        "x+row": {"as written": lambda: X + row},
        "x+column": {"as written": lambda: X + column},
        "x.T+y": {"as written": lambda: X.T + Y},
        "-x.T": {"contiguous": lambda: torch.neg(X.T).contiguous()},
        "mean((x-y)^2)": {"as written": lambda: ((x - y) ** 2).mean(), "compiled": lambda: compiled["mean"](x, y)},
        "sum": {"as written": lambda: x.sum()},
        "sum u8": {"as written": lambda: u8.sum()},
        "min and max": {"aminmax": lambda: torch.aminmax(x), "as written": lambda: (x.min(), x.max())},
        "sum axis 1": {"as written": lambda: X.sum(1)},
        "sum axis 0": {"as written": lambda: X.sum(0)},
        "sum axis 0 tall": {"as written": lambda: x.view(-1, 4).sum(0)},
        "sum axis 0 wide": {"as written": lambda: x.view(16, -1).sum(0)},
    }
    run_arrays(peer, n, x, y, u8, ways)
    run_products(peer, lambda a, dtype: torch.from_numpy(a).cuda().to(DTYPES[dtype]), gpu=True)
    small, other = x[:1000].clone(), y[:1000].clone()
    peer.case("launch", "array x+y in a loop", {"as written": lambda: small + other}, shape="1000")
    peer.case("launch", "array sum(x+y) read each turn", {"as written": lambda: float((small + other).sum())}, shape="1000")
    peer.write()


if __name__ == "__main__":
    main()
