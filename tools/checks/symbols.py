#!/usr/bin/env python3
"""Compares what a shared library exports with the checked-in list lib/symbols.txt, and with what the headers declare.

    symbols.py LIBPLAIT.SO            compare
    symbols.py LIBPLAIT.SO --write    bring the list up to date
"""

import os
import re
import subprocess
import sys

import layering
import sources

LIST = os.path.join(sources.ROOT, "lib", "symbols.txt")


def exported(library):
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return sorted(line.split()[-1] for line in done.stdout.splitlines() if line.split())


def declared():
    """Function or object name -> header, of everything marked PLAIT_API."""
    names = {}
    for header in sorted(os.listdir(os.path.join(sources.ROOT, "include", "plait"))):
        text = layering.without_comments(sources.read("include/plait/" + header))
        text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
        for m in re.finditer(r"\bPLAIT_API\b([^;{]*)", text):
            name = re.search(r"\b(plait_\w+)\s*\(", m.group(1)) or re.search(r"\b(plait_\w+)[^\w]*$", m.group(1))
            names[name.group(1)] = header
    return names


def main():
    # Under sanitizers the compiler adds symbols of its own.
    symbols = [s for s in exported(sys.argv[1]) if not s.startswith(("__asan", "__odr_asan", "__sancov", "__tsan"))]
    errors = [f"{s} is exported, but public names start with plait_" for s in symbols if not s.startswith("plait_")]
    errors += [f"{s} is exported, but internal" for s in symbols if s.startswith("plait__")]
    if "--write" in sys.argv:
        with open(LIST, "w", encoding="ascii") as f:
            f.write("".join(s + "\n" for s in symbols))
    names = declared()
    errors += [f"{s} is exported, but no header declares it" for s in symbols if s not in names]
    errors += [f"<plait/{h}> declares {s}, which nothing defines" for s, h in names.items() if s not in symbols]
    with open(LIST, encoding="ascii") as f:
        listed = f.read().split()
    advice = "if that is meant, run tools/checks/symbols.py LIBRARY --write"
    errors += [f"{s} is exported, but not in lib/symbols.txt; {advice}" for s in symbols if s not in listed]
    errors += [f"{s} is in lib/symbols.txt, but not exported; {advice}" for s in listed if s not in symbols]
    sources.finish(errors, len(symbols))


if __name__ == "__main__":
    main()
