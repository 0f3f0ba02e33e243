#!/usr/bin/env python3
"""Makes the table (Markdown, on standard output) and a plot of benchmark results.

    report.py [--svg FILE] plait.json [peer.json ...]

The first file is plait_bench's; the others are rows of peers/*.py measured on the same machine. Ratios across files are
only as good as the claim that one run made them all.
"""

import argparse
import json
import math

ARRAYS, PRODUCTS = "arrays", "products"


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def best_rows(document):
    """{(group, name): the fastest row}, of a peer's several ways to compute a case."""
    best = {}
    for row in document["rows"]:
        key = row["group"], row["name"]
        if "best_s" in row and (key not in best or row["best_s"] < best[key]["best_s"]):
            best[key] = row
    return best


def speed(row, seconds="best_s"):
    """GB/s, GFLOP/s, or calls a second."""
    work = row["bytes"] or row["flops"]
    return work / row[seconds] / 1e9 if work else 1 / row[seconds]


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def compare(title, unit, group, mine, peers, limits):
    """One table of a group: Plait, its share of the limit, each peer, and the ratio to the best of them."""
    rows = [row for (g, _), row in mine.items() if g == group]
    if not rows:
        return []
    names = list(peers)
    head = ["case", "dtype", "shape", f"Plait {unit}", "median", "of limit"] + names + (["ratio"] if names else [])
    lines = [f"## {title}", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    ratios = []
    for row in rows:
        cells = [row["name"], row["dtype"], row["shape"], number(speed(row)), number(speed(row, "median_s"))]
        limit = limits.get(row.get("against", ""))
        cells.append(f"{row['ratio'] * 100:.1f} %" if limit and "ratio" in row else "")
        found = []
        for name in names:
            other = peers[name].get((group, row["name"]))
            cells.append(f"{number(speed(other))} ({other['how']})" if other else "")
            if other:
                found.append(other["best_s"] / row["best_s"])
        if names:
            cells.append(f"{min(found):.2f}" if found else "")
            ratios += [min(found)] if found else []
        if row.get("check") == "failed":
            cells[0] += " **WRONG RESULT**"
        lines.append("| " + " | ".join(cells) + " |")
    if ratios:
        lines += ["", f"Against the best peer: geometric mean {geometric_mean(ratios):.2f}, lowest {min(ratios):.2f}."]
    return lines + [""]


def plain(title, group, document):
    """A group whose rows are times and numbers with nothing to compare them with but each other."""
    rows = [row for row in document["rows"] if row["group"] == group]
    if not rows:
        return []
    lines = [f"## {title}", "", "| case | best | median | speed | against | ratio |", "|" + " --- |" * 6]
    for row in rows:
        if "unit" in row:
            lines.append(f"| {row['name']} | {row['value']:.6g} {row['unit']} | | | | |")
            continue
        gb = f"{number(speed(row))} GB/s" if row["bytes"] else ""
        times = [f"{row[k] * 1e6:,.2f} us" for k in ("best_s", "median_s")]
        ratio = f"{row['ratio']:.3f}" if "ratio" in row else ""
        lines.append(f"| {row['name']} | {times[0]} | {times[1]} | {gb} | {row.get('against', '')} | {ratio} |")
    return lines + [""]


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plot(path, document, mine, peers, limits):
    """Bars: each array case's GB/s for Plait and its peers, the limits as dashed lines."""
    rows = [row for (g, _), row in mine.items() if g == ARRAYS]
    if not rows:
        return
    colours = ["#1b6ca8", "#e08e45", "#7a9e7e", "#9b6a9b"]
    series = [("Plait", mine)] + list(peers.items())
    bar, gap, left, width = 9, 8, 190, 760
    most = max([speed(r) for _, s in series for (g, _), r in s.items() if g == ARRAYS] + [speed(r) for r in limits.values()])
    height = len(rows) * (bar * len(series) + gap) + 70
    scale = (width - left - 70) / most
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="10" y="18" font-size="13">{escape(document["device"])}: GB/s of least traffic</text>',
    ]
    for i, (name, _) in enumerate(series):
        x = left + i * 110
        out.append(f'<rect x="{x}" y="26" width="10" height="10" fill="{colours[i % 4]}"/>')
        out.append(f'<text x="{x + 14}" y="35">{escape(name)}</text>')
    y = 48
    for row in rows:
        out.append(f'<text x="{left - 6}" y="{y + bar * len(series) / 2 + 4}" text-anchor="end">{escape(row["name"])}</text>')
        for i, (_, rows_of) in enumerate(series):
            one = rows_of.get((ARRAYS, row["name"]))
            if one:
                length = max(1, speed(one) * scale)
                out.append(f'<rect x="{left}" y="{y + i * bar}" width="{length:.1f}" height="{bar - 1}" fill="{colours[i % 4]}"/>')
                out.append(f'<text x="{left + length + 3:.1f}" y="{y + i * bar + 8}" font-size="8">{number(speed(one))}</text>')
        y += bar * len(series) + gap
    for name, limit in limits.items():
        x = left + speed(limit) * scale
        label = name.split("/")[1]
        dy = {"triad": 44, "copy": y + 8, "read": y + 18}.get(label, 44)
        out.append(f'<line x1="{x:.1f}" y1="46" x2="{x:.1f}" y2="{y}" stroke="#555" stroke-dasharray="3 3"/>')
        out.append(f'<text x="{x:.1f}" y="{dy}" text-anchor="middle" font-size="9">{label}</text>')
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out + ["</svg>", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--svg", help="write a bar chart of the array cases here")
    args = parser.parse_args()
    document, others = load(args.files[0]), [load(path) for path in args.files[1:]]
    mine = best_rows(document)
    peers = {f"{d['library']} {d['version']}": best_rows(d) for d in others}
    limits = {f"raw/{n}": mine["raw", n] for n in ("triad", "copy", "read") if ("raw", n) in mine}

    lines = [f"# {document['device']}", ""]
    lines += [f"{document['platform']}, driver {document['driver']}, {document['host_cpus']} host cores, "
              f"Plait {document['version']}, {document['date']}.", ""]
    lines += ["GB/s: least traffic over the best of at least 10 runs. Of limit: against raw OpenCL in the same run, triad for "
              "three streams, copy for two, read for one.", ""]
    lines += plain("Limits through raw OpenCL", "raw", document)
    lines += plain("The same kernels through Plait's buffers and launches", "buffers", document)
    lines += compare("Arrays", "GB/s", ARRAYS, mine, peers, limits)
    lines += compare("Products (GFLOP/s; with a vector GB/s)", "", PRODUCTS, mine, peers, limits)
    lines += plain("Launches", "launch", document)
    small = [(name, s.get(("launch", "array x+y in a loop"))) for name, s in peers.items()]
    lines += [f"{name}, 1,000-element x+y: {row['best_s'] * 1e6:.2f} us ({row['how']})." for name, row in small if row] + [""]
    lines += plain("Start of a process, to the first result", "start", document)
    lines += plain("Transfers of ordinary host memory", "transfer", document)
    print("\n".join(lines))
    if args.svg:
        plot(args.svg, document, mine, peers, limits)


if __name__ == "__main__":
    main()
