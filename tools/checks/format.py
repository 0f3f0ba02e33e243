#!/usr/bin/env python3
"""Every .c, .h and .hpp file is as clang-format (with the project's .clang-format) would write it.

Exits with 77 where there is no clang-format. Kernel files (.cl) are laid out by hand.
"""

import os
import re
import shutil
import subprocess
import sys

import sources


def main():
    program = os.environ.get("CLANG_FORMAT", "clang-format")
    if not shutil.which(program):
        print(f"skipped: no {program} is installed")
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
