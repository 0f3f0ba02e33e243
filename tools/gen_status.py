#!/usr/bin/env python3
"""Writes docs/status.md: what is implemented, and what tests say about it. Standard library only.

    gen_status.py            writes the page
    gen_status.py --check    fails if the page is not what would be written (a test of the project runs this)

Nothing in the page is claimed by hand: operations come from lib/array's tables, what is compared with NumPy from
tests/golden/answers.txt, layouts from tests/array/layouts.def, functions from lib/symbols.txt with the folders of tests
whose files call them, and known traps from tests/traps.txt, whose test files must exist.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = "docs/status.md"
DTYPES = ["bool", "u8", "i32", "i64", "f32", "f64", "c64"]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def rows(name, pattern):
    return re.findall(pattern, read(name), re.M)


# ---- operations ----


class Answers:
    """What answers.txt has: for an operation and its dtypes "values", "dtype" (of the result alone) or "refused"."""

    def __init__(self):
        self.unary, self.binary, self.reduce, self.cast, self.where = {}, {}, {}, {}, {}
        for line in read("tests/golden/answers.txt").splitlines():
            words = line.split()
            kind = words[0]
            if kind == "unary":
                self.unary[words[1], words[2]] = self.outcome(words[3:])
            elif kind == "binary":
                self.binary[words[1], words[2], words[3]] = self.outcome(words[4:])
            elif kind == "reduce":
                self.reduce[words[1], words[2]] = self.outcome(words[4:])
            elif kind in ("cast", "where"):
                getattr(self, kind)[words[1].rstrip("+"), words[2]] = self.outcome(words[3:])

    @staticmethod
    def outcome(words):
        return "refused" if words[0] == "error" else "dtype" if words[1] == "dtype" else "values"


MARKS = {"values": "yes", "refused": "refused", None: ""}


def table(head, lines):
    out = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out) + "\n"


def operations(answers):
    lines = []
    for name, arity in rows("lib/array/ops.def", r"^ROW_\((\w+), (\d),"):
        pairs = {k[1:]: v for k, v in answers.binary.items() if k[0] == name}
        if arity == "1":
            same = {d: answers.unary.get((name, d)) for d in DTYPES}
        elif arity == "2":
            same = {d: pairs.get((d, d)) for d in DTYPES}
        else:
            same = {d: answers.where.get((d, d)) for d in DTYPES}
            pairs = answers.where
        mixed = [v for (a, b), v in pairs.items() if a != b] if arity != "1" else []
        summary = ", ".join(
            f"{mixed.count(v)} {text}"
            for v, text in (("values", "with values"), ("dtype", "the dtype"), ("refused", "refused"))
            if mixed.count(v)
        )
        lines.append([f"`plait_{name}`"] + [MARKS[same[d]] for d in DTYPES] + [summary])
    return table(["function"] + DTYPES + ["pairs of two dtypes"], lines)


def reductions(answers):
    lines = []
    for name in rows("lib/array/reductions.def", r"^PLAIT_REDUCTION\((\w+),"):
        lines.append([f"`plait_{name}`"] + [MARKS[answers.reduce.get((name, d))] for d in DTYPES])
    return table(["function"] + DTYPES, lines)


def casts(answers):
    lines = [[f"from {a}"] + [MARKS[answers.cast.get((a, b))] for b in DTYPES] for a in DTYPES]
    return table(["`plait_astype`"] + ["to " + d for d in DTYPES], lines)


# ---- functions ----


def headers():
    """Exported functions by header, and the functions that a macro stands for."""
    symbols = set(read("lib/symbols.txt").split())
    by_header, macros = {}, {}
    folder = os.path.join(ROOT, "include", "plait")
    for name in sorted(os.listdir(folder)):
        text = read("include/plait/" + name)
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        for macro, body in re.findall(r"^#define (\w+)[ (]((?:.*\\\n)*.*)", text, re.M):
            macros.setdefault(macro, set()).update(symbols & set(re.findall(r"\bplait_\w+", body)))
        declared = re.findall(r"PLAIT_API[^;{]*?\b(plait_\w+)\(", text)
        for function in declared:
            by_header.setdefault(name, set()).add(function)
    missing = symbols - set().union(*by_header.values())
    return by_header, macros, missing


def callers(macros):
    """For each exported function the folders of tests in which a file names it, or a macro that stands for it."""
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "tests")):
        # test_null.c and its table name every function by definition: they say nothing about what it does.
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            where = path.split(os.sep)[1]
            if not name.endswith((".c", ".cpp", ".h", ".py")) or name == "test_null.c" or where in ("bench", "support"):
                continue
            for word in set(re.findall(r"\b(?:plait|PLAIT)_\w+", read(path))):
                is_macro = word in macros and not name.endswith(".py")
                for function in macros[word] if is_macro else (word,):
                    found.setdefault(function, set()).add(where)
    return found


def functions():
    by_header, macros, missing = headers()
    found = callers(macros)
    if missing:
        sys.exit(f"gen_status.py: exported but in no header: {', '.join(sorted(missing))}")
    lines, untested = [], []
    for header, names in by_header.items():
        if header in ("ops.h", "reduce.h"):
            names = {n for n in names if n.endswith("_init")}  # the others are in the tables above
        groups = {}
        for name in sorted(names):
            groups.setdefault(tuple(sorted(found.get(name, ()))), []).append(name)
            if name not in found:
                untested.append(name)
        for where, group in sorted(groups.items(), key=lambda item: item[1][0]):
            lines.append([f"`{header}`", ", ".join(f"`{n}`" for n in group), ", ".join(where) or "**none**"])
    return table(["header", "functions", "folders of tests that call them"], lines), untested


def traps():
    lines = []
    for line in read("tests/traps.txt").splitlines():
        if not line or line.startswith("#"):
            continue
        title, tests, rest = (part.strip() for part in line.split("|"))
        for test in tests.split():
            if not os.path.exists(os.path.join(ROOT, "tests", test)):
                sys.exit(f"gen_status.py: tests/traps.txt: tests/{test} does not exist")
        lines.append([title, ", ".join(f"`{t}`" for t in tests.split()) or "-", rest])
    return table(["trap", "tests", "what waits"], lines)


def page():
    answers = Answers()
    layouts = rows("tests/array/layouts.def", r"^LAYOUT\((\w+),")
    calls, untested = functions()
    numpy = re.search(r"with NumPy (\S+)\.", read("tests/golden/answers.txt")).group(1)
    return f"""# Status

Written by tools/gen_status.py from the library's tables and the tests; a test fails when this page is not current.

## Elementwise operations

Compared with NumPy {numpy} by tests/array/test_golden.c, with every value beside every value: "yes" where both operands
have the dtype, "refused" where the builder must return PLAIT_E_DTYPE and is tested to. Pairs of two different dtypes: for
how many the values are compared too, for how many the result's dtype alone, and how many are refused. Where Plait's
answer is not NumPy's on purpose, tests/golden/EXCEPTIONS.md says so and why.

{operations(answers)}
## Reductions

Over all axes, over the first and over the last, of a matrix with NaN and infinities where the dtype has them.

{reductions(answers)}
## Conversions

{casts(answers)}
## Layouts

How an operand's elements lie in memory does not depend on the operation that reads them. `plait_add` is tested with
operands of these layouts side by side, in every dtype but bool: {", ".join(layouts)}.

## Functions

Every other exported function, and in which folders of tests/ a program calls it (tests/api/test_null.c, which calls all of
them with NULL, is not counted). {"All of them are called." if not untested else f"{len(untested)} are called by none."}

{calls}
## Known traps

Bugs that libraries of this kind have had, and the tests against them.

{traps()}"""


def main():
    text = page()
    path = os.path.join(ROOT, PAGE)
    if "--check" in sys.argv[1:]:
        if not os.path.exists(path) or read(PAGE) != text:
            sys.exit(f"{PAGE} is not current; run tools/gen_status.py")
        return
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
