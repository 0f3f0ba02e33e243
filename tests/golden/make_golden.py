#!/usr/bin/env python3
"""Writes tests/golden/answers.txt, what NumPy says about every elementwise operation and reduction for every dtype,
and tests/golden/EXCEPTIONS.md, where Plait's answer is another one on purpose. Needs NumPy 2.

The dtype of a result is decided here by Plait's rules, written down once more and independently of the library; the
values are NumPy's for operands of the dtype in which Plait computes. Lines of answers.txt:

    values DTYPE HEX                     the six values of the dtype that operands are made of, little-endian
    matrix DTYPE HEX                     7 x 9 elements, for reductions
    unary OP DTYPE RESULT HOW HEX        of the six values
    binary OP DTYPE DTYPE RESULT HOW HEX of every value with every value, the second one's index faster
    number OP DTYPE NUMBER RESULT HOW HEX   of the six values with a weak scalar: i:3, f:0.5, c:1,2
    where DTYPE DTYPE RESULT HOW HEX     first or second as the sum of their indices is even or odd, every with every
    cast DTYPE DTYPE RESULT HOW HEX      of the six values from the first dtype to the second; DTYPE+: of others
    reduce OP DTYPE AXIS RESULT HOW HEX  of the matrix over axis 0 or 1 or (-) both

HOW is "exact" (the same bits; any NaN for NaN), "zeros" (exact but for the sign of zeros), "ulp:N", "rounded" (exact
on devices that divide and take square roots with correct rounding), "near:N" (within N eps of the exact answer's
size, for complex numbers and sums), "dtype" (without values: the dtype alone). RESULT "error" and a status instead of
HOW: the builder must refuse.
"""

import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
NUMPY = {
    "bool": "bool",
    "u8": "uint8",
    "i32": "int32",
    "i64": "int64",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
}
NAMES = {v: k for k, v in NUMPY.items()} | {"uint64": "u64", "int8": "i8", "float16": "f16", "complex128": "c128"}
ORDER = list(NUMPY)
REAL = "f32"  # the context's default real dtype
nan, inf = np.nan, np.inf

VALUES = {
    "bool": [False, True, True, False, True, False],
    "u8": [0, 1, 2, 7, 200, 255],
    "i32": [0, 1, -3, 7, -(2**31), 2**31 - 1],
    "i64": [0, 2, -1, 2**40 + 1, -(2**63), 2**63 - 1],
    "f32": [-0.0, 1.5, -2.25, nan, inf, 0.1],
    "f64": [0.0, -1.5, 3.25, nan, -inf, 0.1],
    "c64": [0, 1 + 2j, -0.5 + 0.25j, complex(nan, 1), 3 - 4j, 1e3j],
}


def values(dtype):
    return np.array(VALUES[dtype], NUMPY[dtype])


def matrix(dtype):
    i = np.arange(63).reshape(7, 9)
    if dtype == "bool":
        return i % 3 == 1
    if dtype == "u8":
        return (i * 37 % 256).astype("uint8")
    if dtype in ("i32", "i64"):
        return ((i * 7919 % 1009 - 500) * (2**21 if dtype == "i32" else 2**50)).astype(NUMPY[dtype])
    m = (np.sin(i * 1.7) * 10.0 ** (i % 5 - 2)).astype(NUMPY[dtype])
    if dtype == "c64":
        m = (m + 1j * np.cos(i)).astype("complex64")
    else:
        m[2, 3] = m[5, 3] = nan
        m[4, 6] = inf
        m[6, 8] = -0.0
    return m


# ---- dtypes ----


def kind(dtype):
    return {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}[dtype[0]]


def promote(a, b):
    """Plait's common dtype; None where it would be c128."""
    if kind(a) == kind(b) or "bool" in (a, b):
        common = NAMES[np.promote_types(NUMPY[a], NUMPY[b]).name]
    else:
        common = a if kind(a) > kind(b) else b
    if "c64" in (a, b) and "f64" in (a, b):
        return None
    return common


def real_of(dtype):
    return REAL if kind(dtype) < 2 else dtype


# ---- operations: what they compute in, what comes out, NumPy's function, and how exactly it must agree ----


def ipow(x, y):
    """Integer powers in the dtype's own wrapping arithmetic; of negative ones what can be represented."""
    bits = 8 * x.dtype.itemsize
    out = []
    for a, b in zip(x.ravel().tolist(), y.ravel().tolist()):
        if b < 0:
            p = 1 if a == 1 else (-1 if b % 2 else 1) if a == -1 else 0
        else:
            p = pow(a, b, 2**bits)
        p %= 2**bits
        out.append(p - 2**bits if x.dtype.kind == "i" and p >= 2 ** (bits - 1) else p)
    return np.array(out, x.dtype).reshape(x.shape)


def precise(function):
    """f32 by way of f64 and complex64 by way of complex128, rounded once: closer than NumPy's own f32 loops."""

    def call(*inputs):
        wide = {"float32": "float64", "complex64": "complex128"}.get(inputs[0].dtype.name)
        if wide is None:
            return function(*inputs)
        out = function(*(x.astype(wide) for x in inputs))
        return (
            out
            if out.dtype == bool
            else out.astype(inputs[0].dtype if out.dtype.kind == inputs[0].dtype.kind else "float32")
        )

    return call


def power(x, y):
    return ipow(x, y) if x.dtype.kind in "iu" else precise(np.power)(x, y)


# name: (arity, rule, function, how for real dtypes, how for c64, classes without it: b i f c)
OPS = {
    "add": (2, "same", np.add, "exact", "exact", ""),
    "subtract": (2, "same", np.subtract, "exact", "exact", "b"),
    "multiply": (2, "same", np.multiply, "exact", "near:4", ""),
    "divide": (2, "float", np.divide, "rounded", "near:8", ""),
    "pow": (2, "same", power, "ulp:16", "", "bc"),
    "maximum": (2, "same", np.maximum, "zeros", "", "c"),
    "minimum": (2, "same", np.minimum, "zeros", "", "c"),
    "negative": (1, "same", np.negative, "exact", "exact", "b"),
    "abs": (1, "part", np.abs, "exact", "near:4", ""),
    "square": (1, "same", np.square, "exact", "near:4", ""),
    "sqrt": (1, "float", np.sqrt, "rounded", "", "c"),
    "exp": (1, "float", precise(np.exp), "ulp:4", "near:16", ""),
    "log": (1, "float", precise(np.log), "ulp:4", "", "c"),
    "less": (2, "compare", np.less, "exact", "", "c"),
    "less_equal": (2, "compare", np.less_equal, "exact", "", "c"),
    "greater": (2, "compare", np.greater, "exact", "", "c"),
    "greater_equal": (2, "compare", np.greater_equal, "exact", "", "c"),
    "equal": (2, "compare", np.equal, "exact", "exact", ""),
    "not_equal": (2, "compare", np.not_equal, "exact", "exact", ""),
    "logical_and": (2, "logic", np.logical_and, "exact", "exact", ""),
    "logical_or": (2, "logic", np.logical_or, "exact", "exact", ""),
    "logical_not": (1, "logic", np.logical_not, "exact", "exact", ""),
    "isnan": (1, "compare", np.isnan, "exact", "exact", ""),
    "real": (1, "part", np.real, "exact", "exact", ""),
    "imag": (1, "part", np.imag, "exact", "exact", ""),
}


def apply_rule(rule, common):
    """The dtype that is computed in, and the result's."""
    if rule == "float":
        return real_of(common), real_of(common)
    if rule == "compare":
        return common, "bool"
    if rule == "logic":
        return common, "bool"
    if rule == "part":
        return common, "f32" if common == "c64" else common
    return common, common


def compute(op, inputs, common):
    """RESULT, HOW and the values; or error and a status."""
    arity, rule, function, how, how_complex, without = OPS[op]
    if common is None and rule != "logic":
        return "error", "PLAIT_E_DTYPE", None
    if rule == "logic":
        return "bool", "exact", function(*inputs)
    working, result = apply_rule(rule, common)
    if working[0] in without:
        return "error", "PLAIT_E_DTYPE", None
    out = function(*(x.astype(NUMPY[working]) for x in inputs))
    integer = kind(working) < 2
    return result, "exact" if integer else how_complex if working == "c64" else how, out.astype(NUMPY[result])


# ---- lines ----


class Writer:
    def __init__(self, out):
        self.out = out
        self.exceptions = {}

    def line(self, *words, result, how, data=None):
        text = "" if data is None else " " + hexadecimal(data)
        print(*words, result, how + text, file=self.out)

    def differs(self, op, operands, numpy, plait):
        self.exceptions.setdefault((operands, numpy, plait), []).append(op)


def hexadecimal(data):
    return np.ascontiguousarray(data.astype(data.dtype.newbyteorder("<"))).tobytes().hex() or "-"


def numpy_says(function, *inputs):
    """The dtype that NumPy itself gives the result, or its error."""
    try:
        name = function(*inputs).dtype.name
        return NAMES.get(name, name)
    except Exception as error:
        return type(error).__name__


def numpy_function(op):
    return np.power if op == "pow" else getattr(np, {"abs": "abs"}.get(op, op))


def wanted(op, a, b):
    """Values of a mixed pair: all for some operations, a third for the others. The conversion of an operand does not
    depend on the operation, and every value computed is more for the tests' compiler to do."""
    return op in ("add", "divide", "less") or (list(OPS).index(op) + ORDER.index(a) + 2 * ORDER.index(b)) % 3 == 0


def operations(w):
    for op, (arity, *_rest) in OPS.items():
        for a in ORDER:
            for b in ORDER if arity == 2 else [None]:
                x = values(a)
                inputs = [x] if b is None else [np.repeat(x, 6), np.tile(values(b), 6)]
                dtypes = [a] if b is None else [a, b]
                common = a if b is None else promote(a, b)
                result, how, data = compute(op, inputs, common)
                if b is not None and a != b and data is not None and not wanted(op, a, b):
                    how, data = "dtype", None
                w.line("unary" if b is None else "binary", op, *dtypes, result=result, how=how, data=data)
                # Values that make NumPy raise for other reasons than the dtype are left out here.
                ones = [np.ones(1, NUMPY[d]) for d in dtypes]
                says = numpy_says(numpy_function(op), *ones)
                if says != ("TypeError" if result == "error" else result):
                    w.differs(op, ", ".join(dtypes), says, "error" if result == "error" else result)


def numbers(w):
    for op in "add", "multiply", "less", "divide":
        for a in ORDER:
            for text, number in ("i:3", 3), ("f:0.5", 0.5), ("c:1,2", 1 + 2j):
                k = kind(a)
                if text[0] == "i":
                    common = "i64" if a == "bool" else a
                elif text[0] == "f":
                    common = real_of(a)
                else:
                    common = None if a == "f64" else "c64"
                x = values(a)
                result, how, data = compute(
                    op, [x, np.full(6, number, NUMPY[common] if common else "complex64")], common
                )
                w.line("number", op, a, text, result=result, how=how, data=data)
                says = numpy_says(numpy_function(op), np.ones(1, NUMPY[a]), number)
                if says != ("TypeError" if result == "error" else result):
                    w.differs(op, f"{a}, the number {number}", says, "error" if result == "error" else result)


def where(w):
    even = (np.add.outer(np.arange(6), np.arange(6)) % 2 == 0).ravel()
    for a in ORDER:
        for b in ORDER:
            common = promote(a, b)
            if common is None:
                w.line("where", a, b, result="error", how="PLAIT_E_DTYPE")
                continue
            x, y = np.repeat(values(a), 6).astype(NUMPY[common]), np.tile(values(b), 6).astype(NUMPY[common])
            w.line("where", a, b, result=common, how="exact", data=np.where(even, x, y))


def cast(x, to):
    """astype with what C leaves open decided: saturating, NaN to 0."""
    target = np.dtype(NUMPY[to])
    if x.dtype.kind == "f" and target.kind in "iu":
        info = np.iinfo(target)
        return np.array(
            [
                (
                    0
                    if np.isnan(v)
                    else max(info.min, min(info.max, int(v) if np.isfinite(v) else (info.max if v > 0 else info.min)))
                )
                for v in x.tolist()
            ],
            target,
        )
    return x.astype(target)


def casts(w):
    extra = [3e9, -1.9, 68469.13, -128.0, 1e20, -1e20]
    for a in ORDER:
        for b in ORDER:
            if a == "c64" and b not in ("c64", "bool"):
                w.line("cast", a, b, result="error", how="PLAIT_E_DTYPE")
                continue
            x = values(a)
            w.line("cast", a, b, result=b, how="exact", data=cast(x, b))
    for a in "f32", "f64":
        for b in ORDER:
            x = np.array(extra, NUMPY[a])
            print("values", a + "+", hexadecimal(x), file=w.out)
            w.line("cast", a + "+", b, result=b, how="exact", data=cast(x, b))


def reductions(w):
    for op in "sum", "mean", "min", "max":
        for a in ORDER:
            m = matrix(a)
            for axis in None, 0, 1:
                name = "-" if axis is None else axis
                if op in ("min", "max"):
                    if a == "c64":
                        w.line("reduce", op, a, name, result="error", how="PLAIT_E_DTYPE")
                        continue
                    w.line("reduce", op, a, name, result=a, how="zeros", data=np.asarray(getattr(np, op)(m, axis)))
                    continue
                integer = kind(a) < 2
                if op == "sum":
                    result = "i64" if integer else a
                else:
                    result = real_of(a)
                wide = "int64" if integer else "complex128" if a == "c64" else "float64"
                exact = (
                    m.astype(wide).sum(axis)
                    if op == "sum"
                    else m.astype("complex128" if a == "c64" else "float64").mean(axis)
                )
                # near:N is measured against the sum of the magnitudes, which the test computes.
                w.line(
                    "reduce",
                    op,
                    a,
                    name,
                    result=result,
                    how="exact" if integer and op == "sum" else "sum",
                    data=np.asarray(exact).astype(NUMPY[result]),
                )
                says = numpy_says(lambda x: getattr(np, op)(x), m)
                if axis is None and says != result:
                    w.differs(op, a, says, result)


EXCEPTIONS = """# Where Plait's answer is not NumPy's

Written by make_golden.py, which compares NumPy {version} with Plait's rules for every operation and dtype; the answers
that the tests expect are in answers.txt. The reasons:

- **Mixed kinds.** Where an integer meets a float, the result has the float's dtype, as the array API standard leaves
  open and PyTorch does. NumPy gives f64 for i32 or i64 with f32, which most devices compute slowly or not at all.
- **Default real dtype.** Integers and bools in a float function, in true division and mean, and with a weak float give
  the context's default real dtype: f32 unless the context was opened with f64.
- **No c128 yet.** f64 with c64 is PLAIT_E_DTYPE; NumPy gives complex128.
- **Integer sums** are i64, of u8 too (NumPy: uint64).
- **Error.** Where NumPy has an answer: the operation is not defined for the dtype in Plait, because the array API
  standard does not ask for it, or because it waits for a later version.
- **Same dtype, other value:** integers to a negative power (NumPy raises; Plait gives 0, or 1 and -1 for those bases);
  floats to integers that cannot hold them (NumPy: undefined; Plait: the nearest one, NaN gives 0).

| operands | NumPy | Plait | operations |
| --- | --- | --- | --- |
"""


def main():
    if int(np.__version__.split(".")[0]) < 2:
        sys.exit("make_golden.py: needs NumPy 2")
    np.seterr(all="ignore")
    with open(os.path.join(HERE, "answers.txt"), "w", encoding="ascii") as out:
        print(f"# Written by make_golden.py with NumPy {np.__version__}.", file=out)
        for dtype in ORDER:
            print("values", dtype, hexadecimal(values(dtype)), file=out)
        for dtype in ORDER:
            print("matrix", dtype, hexadecimal(matrix(dtype)), file=out)
        w = Writer(out)
        operations(w)
        numbers(w)
        where(w)
        casts(w)
        reductions(w)
    with open(os.path.join(HERE, "EXCEPTIONS.md"), "w", encoding="ascii") as out:
        out.write(EXCEPTIONS.format(version=np.__version__))
        for row, ops in w.exceptions.items():
            print("| " + " | ".join(row) + " | " + ", ".join(ops) + " |", file=out)


if __name__ == "__main__":
    main()
