#!/usr/bin/env python3
"""roofline.py RESULT.json OUT: draws OUT.svg and OUT.png by gnuplot: the bandwidth of
the gradient at each batch size and the limits of the machine, from a result of
`polyak bench kernels --json`."""

import json
import re
import subprocess
import sys

CURVES = [  # name in the result, title, gnuplot style
    ("streaming read", "ceiling: reading in order", "w l lw 2 lc rgb '#000000'"),
    ("rows only read", "ceiling: reading the same rows", "w l lw 2 dt 2 lc rgb '#000000'"),
    ("fused, double", "polyak", "w lp lw 2 pt 7 lc rgb '#0072b2'"),
    ("fused, float", "polyak, float storage", "w lp lw 2 pt 5 dt 4 lc rgb '#56b4e9'"),
    ("OpenBLAS gather, 2 dgemv", "OpenBLAS gather, 2 dgemv", "w lp lw 2 pt 9 lc rgb '#d55e00'"),
    ("NumPy take, 2 products", "NumPy take, 2 products", "w lp lw 2 pt 11 dt 3 lc rgb '#e69f00'"),
    ("Eigen row by row, 1 thread", "Eigen row by row, 1 thread",
     "w lp lw 2 pt 13 dt 5 lc rgb '#009e73'"),
]


def points(result):
    """{curve: [(batch, GB/s of row bytes)]}. For contenders that gather rows first,
    only the bytes of the rows count, not the copies."""
    found = {name: [] for name, _, _ in CURVES}
    for table in result["tables"]:
        match = re.fullmatch(r"gradient, B = (\d+)", table["title"])
        if not match:
            continue
        batch = int(match[1])
        row_bytes = 8 * result["options"]["cols"]
        for line in table["lines"]:
            if line["name"] not in found:
                continue
            moved = line.get("bytes") or batch * row_bytes
            found[line["name"]].append((batch, moved / line["seconds"]["median"] / 1e9))
    return {name: sorted(rows) for name, rows in found.items() if rows}


def script(found, result, out, terminal, suffix):
    """The gnuplot script of one picture."""
    lines = [f"set terminal {terminal}", f"set output '{out}.{suffix}'", "set encoding utf8",
             "set logscale x", "set format x '10^{%L}'", "set grid xtics ytics lc rgb '#dddddd'",
             "set xlabel 'batch size B (rows per gradient)'",
             "set ylabel 'rows read, GB/s'", "set yrange [0:*]", "set border 3",
             "set tics nomirror", "set key outside right center spacing 1.4",
             f"set title \"{result['machine']['cpu']}, {result['machine']['threads']} threads, "
             f"{result['options']['rows']} x {result['options']['cols']}, {result['date'][:10]}\""]
    plots = []
    for i, (name, title, style) in enumerate(CURVES):
        if name not in found:
            continue
        lines += [f"$curve{i} << END", *(f"{b} {rate:.4g}" for b, rate in found[name]), "END"]
        plots.append(f"$curve{i} u 1:2 {style} t '{title}'")
    return "\n".join([*lines, "plot " + ", ".join(plots), "unset output"]) + "\n"


def main():
    """Draws both pictures."""
    result = json.load(open(sys.argv[1], encoding="utf-8"))
    found, out = points(result), sys.argv[2]
    font = "font 'DejaVu Sans,12' background 'white'"
    for terminal, suffix in ((f"svg size 900,440 dynamic {font}", "svg"),
                             (f"pngcairo size 1200,590 {font}", "png")):
        subprocess.run(["gnuplot"], input=script(found, result, out, terminal, suffix), text=True,
                       check=True)


main()
