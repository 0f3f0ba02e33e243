#!/usr/bin/env python3
"""Writes tests/golden/cache_entry: entries of the disk cache, good and bad, made without Plait.

lib/runtime/cache_entry.h and signature.h describe the layout. tests/runtime/test_cache_entry.c reads the files; the
fuzzer starts from them. Standard library only.
"""

import os
import struct

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cache_entry")
M = (1 << 64) - 1
C1, C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F


def rotate(x, n):
    return ((x << n) | (x >> (64 - n))) & M


def avalanche(x):
    x = ((x ^ (x >> 33)) * 0xFF51AFD7ED558CCD) & M
    x = ((x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53) & M
    return x ^ (x >> 33)


def murmur3(data):
    """MurmurHash3 x64/128 with seed 0, as its 16 bytes."""
    h1 = h2 = 0
    whole = len(data) // 16 * 16
    for i in range(0, whole, 16):
        k1, k2 = struct.unpack_from("<QQ", data, i)
        h1 ^= rotate(k1 * C1 & M, 31) * C2 & M
        h1 = (((rotate(h1, 27) + h2) & M) * 5 + 0x52DCE729) & M
        h2 ^= rotate(k2 * C2 & M, 33) * C1 & M
        h2 = (((rotate(h2, 31) + h1) & M) * 5 + 0x38495AB5) & M
    k1, k2 = struct.unpack("<QQ", data[whole:].ljust(16, b"\0"))
    h2 ^= rotate(k2 * C2 & M, 33) * C1 & M
    h1 ^= rotate(k1 * C1 & M, 31) * C2 & M
    h1 ^= len(data)
    h2 ^= len(data)
    h1 = (h1 + h2) & M
    h2 = (h2 + h1) & M
    h1, h2 = avalanche(h1), avalanche(h2)
    h1 = (h1 + h2) & M
    h2 = (h2 + h1) & M
    return struct.pack("<QQ", h1, h2)


def text(s):
    data = s.encode()
    return struct.pack("<I", len(data)) + data + b"\0"


def kernel(name, params, variants=(), known=1):
    out = text(name) + struct.pack("<BI", known, len(params))
    for kind, is_const, param, type_name in params:
        out += struct.pack("<BB", kind, is_const) + text(param) + text(type_name)
    return out + struct.pack("<I", len(variants)) + b"".join(struct.pack("<Q", v) for v in variants)


def signatures(*kernels):
    return struct.pack("<I", len(kernels)) + b"".join(kernels)


def entry(key, sigs, binary, version=1):
    head = b"PLAITBIN" + struct.pack("<IIQQQ", version, 0, len(key), len(sigs), len(binary))
    body = key + sigs + binary
    return head + murmur3(head + body) + body


def main():
    os.makedirs(FOLDER, exist_ok=True)
    blur = kernel("blur", [(2, 1, "src", "float*"), (2, 0, "dst", "float4*"), (1, 0, "n", "uint"), (4, 0, "l", "int*")],
                  [1, 0xFEDCBA9876543210])
    good = entry(b"the key", signatures(blur, kernel("none", []), kernel("unknown", [(0, 0, "", "")], known=0)),
                 bytes(range(64)))
    files = {
        "good": good,
        "empty": entry(b"", signatures(), b""),
        "bad_cut": good[:-1],
        "bad_bit": good[:100] + bytes([good[100] ^ 1]) + good[101:],
        "bad_version": entry(b"the key", signatures(blur), b"x", version=2),
        "bad_longer": good + b"x",
        "bad_signatures": entry(b"the key", struct.pack("<I", 0xFFFFFFFF), b"x"),
    }
    for name, data in files.items():
        with open(os.path.join(FOLDER, name + ".plait"), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
