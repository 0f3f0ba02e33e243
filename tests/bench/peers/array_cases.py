"""plait_bench's array and product cases, as NumPy, CuPy and PyTorch spell what they share."""

from common import numbers, square

PRODUCTS = [
    # name, dtype, n, k, m (0: a vector), form, only on GPUs
    ("256", "f32", 256, 256, 256, "", False),
    ("512", "f32", 512, 512, 512, "", False),
    ("513", "f32", 513, 513, 513, "", False),
    ("1000", "f32", 1000, 1000, 1000, "", False),
    ("1024", "f32", 1024, 1024, 1024, "", False),
    ("1025", "f32", 1025, 1025, 1025, "", False),
    ("1024 a.T b", "f32", 1024, 1024, 1024, "left", False),
    ("1024 a b.T", "f32", 1024, 1024, 1024, "right", False),
    ("2048", "f32", 2048, 2048, 2048, "", False),
    ("4096", "f32", 4096, 4096, 4096, "", True),
    ("8192", "f32", 8192, 8192, 8192, "", True),
    ("1024 f64", "f64", 1024, 1024, 1024, "", False),
    ("4096 f64", "f64", 4096, 4096, 4096, "", True),
    ("8192 f64", "f64", 8192, 8192, 8192, "", True),
    ("1024 c64", "c64", 1024, 1024, 1024, "", False),
    ("Gram X.T X", "f32", 64, 1 << 20, 64, "left", False),
    ("X w", "f32", 1 << 20, 13, 0, "", False),
    ("X w wide", "f32", 1 << 20, 100, 0, "", False),
    ("X.T r", "f32", 13, 1 << 20, 0, "left", False),
    ("X.T r wide", "f32", 100, 1 << 20, 0, "left", False),
    ("A v", "f32", 4096, 4096, 0, "", False),
    ("A v large", "f32", 16384, 16384, 0, "", True),
    ("A.T v large", "f32", 16384, 16384, 0, "left", True),
    ("gradient descent turn", "f32", 1 << 20, 13, 0, "turn", False),
]


def run_products(peer, put, gpu):
    """put(float32 NumPy array, dtype name): an array of the library's, on its device."""
    for name, dtype, n, k, m, form, gpu_only in PRODUCTS:
        if (gpu_only and not gpu) or (peer.args.quick and n * k > 1 << 21):
            continue
        if peer.args.filter not in f"products/{name}":
            continue
        size = {"f32": 4, "f64": 8, "c64": 8}[dtype]
        host = numbers(3, n * k) * 2 - 1
        a = put(host.reshape((k, n) if form == "left" else (n, k)), dtype)
        b_shape = (n,) if form == "turn" else (k,) if m == 0 else (m, k) if form == "right" else (k, m)
        count = 1
        for d in b_shape:
            count *= d
        b = put((numbers(4, count) * 2 - 1).reshape(b_shape), dtype)
        left = a.T if form == "left" else a
        right = b.T if form == "right" else b
        if form == "turn":
            state = {"w": put(numbers(5, k), dtype)}

            def turn(a=a, y=b, state=state):
                r = a @ state["w"] - y
                state["w"] = state["w"] - 1e-7 * (a.T @ r)

            elements = 2 * n * k + n + k
            peer.case("products", name, {"as written": turn}, dtype, f"{n}x{k}", nbytes=elements * size)
        elif m == 0:
            ways = {"@": lambda left=left, right=right: left @ right}
            peer.case("products", name, ways, dtype, f"{n}x{k}", nbytes=(n * k + n + k) * size)
        else:
            flops = (8 if dtype == "c64" else 2) * n * k * m
            ways = {"@": lambda left=left, right=right: left @ right}
            peer.case("products", name, ways, dtype, f"{n}x{k}x{m}", flops=flops)


def run_arrays(peer, n, x, y, u8, ways):
    """ways: {case name: {how: function}} of the library; the names and the traffic are plait_bench's."""
    rows, cols = square(n)
    flat, matrix = str(n), f"{rows}x{cols}"
    for name, dtype, shape, nbytes in [
        ("x+y", "f32", flat, 12),
        ("sqrt(x)*2+y", "f32", flat, 12),
        ("2.5*x+y", "f32", flat, 12),
        ("exp(x)", "f32", flat, 8),
        ("where(x<y,x,-y)", "f32", flat, 12),
        ("x+y f64", "f64", str(n // 2), 12),
        ("u8 to f32 times 2", "u8", flat, 5),
        ("x+row", "f32", matrix, 8),
        ("x+column", "f32", matrix, 8),
        ("x.T+y", "f32", matrix, 12),
        ("-x.T", "f32", matrix, 8),
        ("mean((x-y)^2)", "f32", flat, 8),
        ("sum", "f32", flat, 4),
        ("sum u8", "u8", flat, 1),
        ("min and max", "f32", flat, 4),
        ("sum axis 1", "f32", matrix, 4),
        ("sum axis 0", "f32", matrix, 4),
        ("sum axis 0 tall", "f32", f"{n // 4}x4", 4),
        ("sum axis 0 wide", "f32", f"16x{n // 16}", 4),
    ]:
        peer.case("arrays", name, ways[name], dtype, shape, nbytes=nbytes * n)
