"""What the peers' rows share: the data, the protocol and the JSON of plait_bench.

A case is a name of plait_bench's and one or more ways to compute it; every way is timed, and the report takes the best.
"""

import argparse
import json
import time

import numpy as np

WARM_UPS, RUNS, RUN_SECONDS = 3, 12, 4e-3


def numbers(seed, count):
    """bench_number(seed, i) of bench.c for i = 0 .. count - 1: float32 in [0, 1)."""
    out = np.empty(count, np.float32)
    for first in range(0, count, 1 << 22):
        i = np.arange(first, min(count, first + (1 << 22)), dtype=np.uint64)
        z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z += np.uint64(seed * 0xD1B54A32D192ED03 % (1 << 64))
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        out[first : first + len(i)] = ((z ^ (z >> np.uint64(31))) >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)
    return out


class Peer:
    """Collects rows of one library. finish() waits for everything it has been given to do."""

    def __init__(self, library, version, device, finish=lambda: None):
        parser = argparse.ArgumentParser()
        parser.add_argument("--json", help="write the rows to this file")
        parser.add_argument("--filter", default="", help="only cases whose group/name contains this")
        parser.add_argument("--size", type=int, default=0, help="log2 of the elements of large arrays")
        parser.add_argument("--quick", action="store_true", help="small and short: does everything work?")
        self.args = parser.parse_args()
        self.finish = finish
        self.head = {"device": device, "library": library, "version": version}
        self.rows = []

    def elements(self, default):
        return 1 << (self.args.size or (18 if self.args.quick else default))

    def time(self, call):
        def batch(count):
            start = time.perf_counter()
            for _ in range(count):
                call()
            self.finish()
            return time.perf_counter() - start

        for _ in range(WARM_UPS):
            seconds = batch(1)
        count = 1
        while seconds < RUN_SECONDS and count < 20000 and not self.args.quick:
            count = int(count * min(10, RUN_SECONDS / seconds * 1.2)) + 1
            seconds = batch(count)
        runs = sorted(batch(count) / count for _ in range(1 if self.args.quick else RUNS))
        return runs, count

    def case(self, group, name, ways, dtype="f32", shape="", nbytes=0, flops=0):
        """ways: {how: function}. A way that fails is reported and left out."""
        if self.args.filter not in f"{group}/{name}":
            return
        for how, call in ways.items():
            try:
                runs, batch = self.time(call)
            except Exception as e:  # whatever the library raises: the other rows matter more
                print(f"{group}/{name} ({how}): {type(e).__name__}: {str(e)[:200]}", flush=True)
                continue
            row = {"library": self.head["library"], "group": group, "name": name, "dtype": dtype, "shape": shape}
            row |= {"how": how, "bytes": nbytes, "flops": flops, "best_s": runs[0], "median_s": runs[len(runs) // 2]}
            row |= {"runs": len(runs), "batch": batch}
            self.rows.append(row)
            speed = f"{nbytes / runs[0] / 1e9:.1f} GB/s" if nbytes else f"{flops / runs[0] / 1e9:.1f} GFLOP/s" if flops else ""
            print(f"{group:9} {name:38} {how:24} {runs[0] * 1e6:11.2f} us {speed}", flush=True)

    def write(self):
        if self.args.json:
            date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            with open(self.args.json, "w", encoding="utf-8") as f:
                json.dump(self.head | {"date": date, "rows": self.rows}, f, indent=1)


def square(n):
    """The shape, about square, in which plait_bench sees n = 2^k elements as a matrix."""
    rows = 1
    while rows * rows < n:
        rows *= 2
    return rows, n // rows
