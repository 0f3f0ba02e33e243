"""What the tests of the command share: the built programs, .npy and .png files by the standard library, a scratch folder.

Environment, set by meson: PLAIT_COMMAND, TEST_ICD, CONFLICT_DRIVERS (two, separated by ':'), EXAMPLES, EXAMPLE_SOURCES;
in sanitized builds SANITIZED and KEEP_MODULES, a library whose dlclose does nothing.
"""

import array
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

COMMAND = os.environ["PLAIT_COMMAND"]
SKIPPED = 77

if "KEEP_MODULES" in os.environ:
    # Drivers leak, and where the loader has unloaded one, its leaks have no name that could be suppressed.
    os.environ["LD_PRELOAD"] = os.environ["KEEP_MODULES"]
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"

NPY_CODES = {"f": "<f4", "d": "<f8", "i": "<i4", "q": "<i8", "B": "|u1", "H": "<u2", "Q": "<u8"}


def plait(*arguments, env=None, cwd=None):
    """Runs the command; the result has returncode, stdout and stderr."""
    environment = dict(os.environ, **(env or {}))
    if "OCL_ICD_VENDORS" in (env or {}) and "OCL_ICD_FILENAMES" not in env:
        environment.pop("OCL_ICD_FILENAMES", None)  # the loader would list those drivers as well
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, env=environment, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=120)


def info(**env):
    done = plait("info", "--json", env=env)
    return done, json.loads(done.stdout)


def npy(code, shape, values, descr=None, fortran=False, head=None):
    """The bytes of a .npy file; code is one of NPY_CODES."""
    text = head or "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (
        descr or NPY_CODES[code], fortran, "".join(f"{n}, " for n in shape))
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + array.array(code, values).tobytes()


def read_npy(path):
    """(descr, shape, values)"""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    head = eval(data[10:10 + length].decode(), {"__builtins__": {}})
    code = {descr: code for code, descr in NPY_CODES.items()}[head["descr"]]
    values = array.array(code)
    values.frombytes(data[10 + length:])
    return head["descr"], head["shape"], list(values)


def png(width, height, channels, samples, bits=8):
    """The bytes of a .png file without filters."""
    item = bits // 8
    row = width * channels
    pack = lambda values: b"".join(v.to_bytes(item, "big") for v in values)
    raw = b"".join(b"\0" + pack(samples[y * row:(y + 1) * row]) for y in range(height))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def read_png(path):
    """(width, height, channels, bits, samples), whatever filters the rows have."""
    data = pathlib.Path(path).read_bytes()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[color]
    raw, item = zlib.decompress(packed), bits // 8
    step, row = channels * item, width * channels * item
    above, samples = bytearray(row), []
    for y in range(height):
        kind, line = raw[y * (row + 1)], bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for i in range(row):
            a, b, c = (line[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
        samples += [int.from_bytes(line[i:i + item], "big") for i in range(0, row, item)]
        above = line
    return width, height, channels, bits, samples


def require_device():
    """Ends the program as skipped where there is no OpenCL device."""
    if plait("info").returncode == 3:
        print("no OpenCL device")
        sys.exit(SKIPPED)


class Case(unittest.TestCase):
    """Each test has an empty folder, and an own cache of compiled programs for the class."""

    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        os.environ["PLAIT_CACHE_DIR"] = cls.cache.name

    @classmethod
    def tearDownClass(cls):
        cls.cache.cleanup()

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def expect(self, code, done, *texts):
        """The exit status, and what stdout and stderr together must say."""
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, code, said)
        for text in texts:
            self.assertIn(text, said)
