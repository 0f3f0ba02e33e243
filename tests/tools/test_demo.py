#!/usr/bin/env python3
"""The demo's program on a small picture and table: every stage is right in both runs, and bad data is refused."""

import os
import pathlib
import subprocess
import unittest

import support
from support import Case, npy, png, read_png

DEMO = pathlib.Path(os.environ["EXAMPLES"]) / "demo" / "demo"
WIDTH, HEIGHT, ROWS, COLUMNS = 37, 21, 500, 3


def spread(n, modulus):
    """n whole numbers below the modulus without a visible order."""
    value, values = 1, []
    for _ in range(n):
        value = (value * 48271) % 2147483647
        values.append(value % modulus)
    return values


class Demo(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "out").mkdir()
        self.write("photo.png", png(WIDTH, HEIGHT, 3, spread(WIDTH * HEIGHT * 3, 256)))
        x = spread(ROWS * COLUMNS, 1000)
        y = [3 * x[COLUMNS * i] - x[COLUMNS * i + 1] + 7 for i in range(ROWS)]
        self.write("table_x.npy", npy("f", (ROWS, COLUMNS), x))
        self.write("table_y.npy", npy("f", (ROWS,), y))
        self.write("table.txt", "y a b c\n")

    def run_demo(self, *arguments):
        return subprocess.run([DEMO, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=240)

    def test_both_runs(self):
        self.expect(0, self.run_demo(".", "out", "--save", "first.txt"))
        done = self.run_demo(".", "out", "--first", "first.txt")
        self.expect(0, done, "second run: 0 programs compiled from source", "explains 100.0 %")
        self.assertEqual(done.stdout.splitlines()[-1], "9 passed, 0 failed")
        for name, channels in {"blurred": 3, "edges": 1, "sharpened": 3, "normalised": 3}.items():
            width, height, found, bits, samples = read_png(self.folder / "out" / f"{name}.png")
            self.assertEqual((width, height, found, bits), (WIDTH, HEIGHT, channels, 8))
            self.assertGreater(len(set(samples)), 10)

    def test_bad_data(self):
        self.write("table_y.npy", npy("f", (ROWS - 1,), [0] * (ROWS - 1)))
        self.expect(1, self.run_demo(".", "out", "--save", "first.txt"), "table_y.npy")
        self.write("photo.png", b"no picture")
        self.expect(1, self.run_demo(".", "out", "--save", "first.txt"), "photo.png")
        self.expect(2, self.run_demo("."), "usage")


if __name__ == "__main__":
    support.require_device()
    unittest.main()
