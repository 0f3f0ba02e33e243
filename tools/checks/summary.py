#!/usr/bin/env python3
"""Sums up a run of `meson test`: failed and skipped tests with their reasons, then "N passed, N failed, N skipped".

    summary.py BUILD/meson-logs/testlog.json

Exits with 1 if a test failed or none passed; no tests at all count as a failure.
"""

import json
import sys

GOOD = ("OK", "EXPECTEDFAIL")
TAIL = 60  # lines of a failed test's output


def reason(test):
    """Why a test was skipped, as it said itself."""
    lines = (test.get("stdout", "") + test.get("stderr", "")).splitlines()
    said = [line.split("skipped:", 1)[1].strip() for line in lines if "skipped:" in line]
    return said[0] if said else "no reason given"


def main():
    tests = []
    try:
        with open(sys.argv[1], encoding="utf-8", errors="replace") as f:
            tests = [json.loads(line) for line in f if line.strip()]
    except (OSError, ValueError, KeyError) as error:  # no log, or one that two runs wrote to at a time
        print(f"no test results: {error}")
    passed = [t for t in tests if t["result"] in GOOD]
    skipped = [t for t in tests if t["result"] == "SKIP"]
    failed = [t for t in tests if t not in passed and t not in skipped]
    for test in failed:
        print(f"\nFAILED {test['name']} ({test['result']}, status {test.get('returncode')}, {test['duration']:.1f} s)")
        for stream in ("stdout", "stderr"):
            for line in test.get(stream, "").splitlines()[-TAIL:]:
                print(f"    {line}")
    if failed or skipped:
        print()
    for test in failed:
        print(f"failed:  {test['name']}")
    for test in skipped:
        print(f"skipped: {test['name']}: {reason(test)}")
    # A run that tells nothing has failed.
    wrong = len(failed) if tests else 1
    print(f"{len(passed)} passed, {wrong} failed, {len(skipped)} skipped")
    sys.exit(0 if passed and not wrong else 1)


if __name__ == "__main__":
    main()
