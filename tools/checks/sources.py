"""Which files the checks look at, and how a check reports."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("include", "lib", "cl", "tools", "tests", "examples", "docs")


def tracked():
    """The project's files as paths from its root: what git tracks, or everything where this is no git checkout."""
    try:
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        )
        names = [name for name in done.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
    if not names:
        for folder in FOLDERS:
            for path, _, files in os.walk(os.path.join(ROOT, folder)):
                names += [os.path.relpath(os.path.join(path, name), ROOT) for name in files]
    return sorted(name for name in names if os.path.isfile(os.path.join(ROOT, name)))


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def finish(errors, checked):
    """Prints the errors, one a line, and exits; a check that looked at nothing has failed too."""
    for error in errors:
        print(error)
    if not checked:
        errors = ["nothing was checked"]
        print(errors[0])
    print(f"{checked} checked, {len(errors)} wrong")
    sys.exit(1 if errors else 0)
