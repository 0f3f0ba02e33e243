#!/usr/bin/env python3
"""Every public header compiles alone, as C11 and as C++17, with warnings as errors.

    headers.py [COMPILER...]      default: those of gcc and clang that are installed
"""

import os
import shutil
import subprocess
import sys
import tempfile

import sources

PAIRS = {"gcc": "g++", "clang": "clang++"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C_WARNINGS = ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wconversion", "-Wshadow"]
CXX_WARNINGS = ["-Wconversion", "-Wshadow", "-Wold-style-cast"]


def main():
    include = os.path.join(sources.ROOT, "include")
    headers = sorted(os.listdir(os.path.join(include, "plait")))
    compilers = sys.argv[1:] or [c for c in PAIRS if shutil.which(c)]
    errors = []
    checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for header in headers:
            # Twice, so that the guard is tested too; the function keeps the file from being empty.
            text = f"#include <plait/{header}>\n#include <plait/{header}>\nint plait_probe(void);\n"
            ways = []
            if header.endswith(".h"):
                ways.append(("c", lambda c: [c, "-std=c11", *C_WARNINGS]))
            ways.append(("cpp", lambda c: [PAIRS[c], "-std=c++17", *CXX_WARNINGS]))
            for suffix, start in ways:
                source = os.path.join(folder, "probe." + suffix)
                with open(source, "w", encoding="ascii") as f:
                    f.write(text)
                for compiler in compilers:
                    command = start(compiler)
                    if not shutil.which(command[0]):
                        continue
                    checked += 1
                    done = subprocess.run(
                        [*command, *WARNINGS, "-I", include, "-fsyntax-only", source], capture_output=True, text=True
                    )
                    if done.returncode != 0:
                        errors.append(f"<plait/{header}> alone, {' '.join(command[:2])}:\n{done.stderr}")
    sources.finish(errors, checked)


if __name__ == "__main__":
    main()
