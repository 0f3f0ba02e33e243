#!/usr/bin/env python3
"""The programs in examples/ run and print what they should."""

import os
import pathlib
import subprocess
import unittest

import support
from support import Case, npy

PROGRAMS = pathlib.Path(os.environ["EXAMPLES"])
SOURCES = pathlib.Path(os.environ["EXAMPLE_SOURCES"])


class Examples(Case):
    def run_example(self, name, *arguments, code=0):
        done = subprocess.run([PROGRAMS / name, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_hello(self):
        self.assertIn("mean((x - y)^2) = 0.375\n", self.run_example("hello"))

    def test_blur(self):
        lines = self.run_example("blur", SOURCES / "blur.cl").splitlines()
        sharp, soft = lines[:12], lines[12:]
        self.assertEqual(sharp[5], " " * 5 + "@" * 10 + " " * 5)
        # A third of a pixel's neighbours beside the edge are lit, two thirds on it; a ninth at the corner outside.
        self.assertEqual(soft[5], "    -*" + "@" * 8 + "*-    ")
        self.assertEqual(soft[2][4], ".")
        self.assertEqual(soft[2][10], "-")

    def test_edges(self):
        share = float(self.run_example("edges", SOURCES / "edges.cl").split()[0])
        self.assertGreater(share, 4)
        self.assertLess(share, 8)

    def test_kernel_that_is_not_there(self):
        self.assertIn("nowhere.cl", self.run_example("blur", "nowhere.cl", code=1))

    def test_regression(self):
        text = self.run_example("regression")
        losses = [float(line.split()[-1]) for line in text.splitlines() if line.startswith("step")]
        self.assertEqual(losses, sorted(losses, reverse=True))
        weights = [float(w) for w in text.splitlines()[-1].strip("[] ").split()]
        for got, wanted in zip(weights, (3, -2, 1), strict=True):
            self.assertAlmostEqual(got, wanted, delta=1e-3)

    def test_regression_on_files(self):
        self.write("x.npy", npy("d", (4, 2), [1, 0, 0, 1, 1, 1, 2, 1]))
        self.write("y.npy", npy("d", (4,), [2, 3, 5, 7]))
        weights = self.run_example("regression", "x.npy", "y.npy").splitlines()[-1].strip("[] ").split()
        for got, wanted in zip(map(float, weights), (2, 3), strict=True):
            self.assertAlmostEqual(got, wanted, delta=1e-2)

    def test_npy_stats(self):
        self.write("x.npy", npy("i", (4, 2), [1, -5, 2, 0, 3, 5, 6, 20]))
        lines = self.run_example("npy_stats", "x.npy").splitlines()
        self.assertEqual(lines[0], "i32 of shape (4, 2)")
        numbers = {line.split()[0]: [float(v) for v in line.split("[")[1].strip("]").split()] for line in lines[1:]}
        self.assertEqual(numbers["min"], [1, -5])
        self.assertEqual(numbers["max"], [6, 20])
        self.assertEqual(numbers["mean"], [3, 5])
        for got, wanted in zip(numbers["deviation"], (3.5**0.5, 87.5**0.5), strict=True):
            self.assertAlmostEqual(got, wanted, delta=1e-4)
        self.assertIn("absent.npy", self.run_example("npy_stats", "absent.npy", code=1))


if __name__ == "__main__":
    support.require_device()
    unittest.main()
