#!/usr/bin/env python3
"""Every .c, .h and .hpp file is as clang-format (with the project's .clang-format) would write it.

Versions differ in details; the project's is 14 (Debian 12's), and with another one this exits with 77. Kernel files (.cl) are laid out by hand.
"""

import os
import re
import shutil
import subprocess
import sys

import sources


VERSION = "14"


def find():
    """A clang-format of the right version, or None."""
    for program in (os.environ.get("CLANG_FORMAT"), "clang-format", "clang-format-" + VERSION):
        if program and shutil.which(program):
            done = subprocess.run([program, "--version"], capture_output=True, text=True)
            if re.search(r"version " + VERSION + r"\.", done.stdout):
                return program
    return None


def main():
    program = find()
    if program is None:
        print(f"skipped: no clang-format {VERSION} is installed")
        sys.exit(77)
    names = [n for n in sources.tracked() if n.endswith((".c", ".h", ".hpp"))]
    done = subprocess.run(
        [program, "--dry-run", "-Werror", *names], cwd=sources.ROOT, capture_output=True, text=True
    )
    wrong = sorted(set(re.findall(r"^([^\s:]+):\d+:\d+: error:", done.stderr, re.M)))
    if done.returncode != 0 and not wrong:
        wrong = [done.stderr]
    sources.finish([f"{name}: run clang-format -i on it" for name in wrong], len(names))


if __name__ == "__main__":
    main()
