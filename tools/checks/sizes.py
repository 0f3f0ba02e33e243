#!/usr/bin/env python3
"""No source file, header, kernel file, script or page has more than 1,000 lines."""

import sources

LIMIT = 1000
SUFFIXES = (".c", ".h", ".hpp", ".cpp", ".cl", ".def", ".py", ".build", ".md", ".sh")


def main():
    errors = []
    # tests/golden holds expected answers, not code that anyone reads from end to end.
    names = [n for n in sources.tracked() if n.endswith(SUFFIXES) and not n.startswith("tests/golden/")]
    for name in names:
        lines = sources.read(name).count("\n")
        if lines > LIMIT:
            errors.append(f"{name} has {lines} lines; split it by concept (the limit is {LIMIT})")
    sources.finish(errors, len(names))


if __name__ == "__main__":
    main()
