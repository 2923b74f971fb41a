#!/usr/bin/env python3
"""scaling.py RESULT.json [OUT]: fits the model of docs/scaling.md to a result of
tools/ranks_bench.sh and prints both; with OUT also draws OUT.svg and OUT.png, by
gnuplot. Seconds per iteration in which each of P ranks has B draws on average:

  T(P) = t0 + c_row B (1 + z(P) sqrt((1 - 1/P)/B)) + D(P, B) + S(P, d)

c_row: sorting, look-up and read of a row, with all cores busy; z(P): the expected
maximum of P standard normal numbers, for the rank with most draws;
S = (alpha + beta d) log2 P: a sum of d numbers. D = c_draw B P where every rank generates all
draws (fewer than four ranks); else (c_draw + c_word) B + (P - 1) a: each generates its
part and sends it."""

import json
import math
import subprocess
import sys

NETWORK = (3e-6, 8 / 10e9)  # assumed, not measured: 3 us per step, 10 GB/s
MESSAGE = 5e-7              # assumed: seconds per message, many sent at a time


def line_through(points):
    """(a, b) of y = a + b x with the least relative squares, a at least 0."""
    weights = [1 / y ** 2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    slope = (sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points))
             / sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points)))
    if mean_y >= slope * mean_x:
        return mean_y - slope * mean_x, slope
    return 0.0, (sum(w * x * y for w, (x, y) in zip(weights, points))
                 / sum(w * x * x for w, (x, _) in zip(weights, points)))


def largest_normal(count):
    """The expected maximum of `count` standard normal numbers."""
    step, mean = 0.002, 0.0
    for i in range(int(12 / step)):
        z = -6 + (i + 0.5) * step
        below = 0.5 * math.erfc(-z / math.sqrt(2))
        mean += z * count * below ** (count - 1) * math.exp(-z * z / 2) * step
    return mean / math.sqrt(2 * math.pi)


class Model:
    """Fitted to one result."""

    def __init__(self, result):
        scaling = result["scaling"]
        self.cols = scaling["cols"]
        self.draw = min(line["seconds"] / line["batch"] for line in scaling["draws"])
        self.start, slope = line_through(
            [(line["batch"], line["at_once"]["median"]) for line in scaling["scaling"]])
        self.row = slope - self.draw
        sums = {line["numbers"]: line["reduce_and_send"] for line in scaling["sums"]}
        self.sum = (sums[1], max(0.0, (sums[100] - sums[1]) / 99))
        self.word = line_through([(line["words"], line["seconds"]) for line in scaling["words"]])[1]

    def sums(self, ranks, network=False):
        """Seconds of one sum of d numbers."""
        alpha, beta = NETWORK if network else self.sum
        return (alpha + beta * self.cols) * math.log2(ranks) if ranks > 1 else 0.0

    def drawing(self, ranks, batch, shared=True):
        """Seconds of generating `batch` draws per rank."""
        if ranks < 4 or not shared:
            return self.draw * batch * ranks
        return (self.draw + self.word) * batch + (ranks - 1) * MESSAGE

    def seconds(self, ranks, batch, network=False, shared=True):
        """T(P) for `batch` draws per rank."""
        spread = largest_normal(ranks) * math.sqrt((1 - 1 / ranks) / batch) if ranks > 1 else 0.0
        return (self.start + self.row * batch * (1 + spread) + self.drawing(ranks, batch, shared)
                + self.sums(ranks, network))

    def batch_for(self, ranks, share=0.1, network=False):
        """The smallest batch per rank for which communication is at most `share` of an iteration."""
        words = self.word if ranks >= 4 else 0.0
        fixed = self.sums(ranks, network) + ((ranks - 1) * MESSAGE if ranks >= 4 else 0.0)
        own = self.row + self.draw
        return fixed / (share * (own + words) - words)


def told(model, result):
    """Prints measurements and model."""
    scaling = result["scaling"]
    print(f"{result['machine']['cpu']}, {result['machine']['cores']} cores, "
          f"{scaling['rows_a_rank']} x {scaling['cols']} a rank, {result['date'][:10]}")
    print(f"model: t0 {model.start * 1e6:.1f} us, c_row {model.row * 1e9:.1f} ns, "
          f"c_draw {model.draw * 1e9:.2f} ns, c_word {model.word * 1e9:.2f} ns, "
          f"alpha {model.sum[0] * 1e6:.2f} us, "
          f"beta {model.sum[1] * 1e9:.2f} ns a number")
    ranks = scaling["ranks"]
    print(f"\n{'batch a rank':>12} {'alone':>10} {'at once':>10} {'weak':>10} {'model':>10}"
          f" {'efficiency':>11} {'ceiling':>8} {'of it':>6} {'strong':>7}")
    for line in scaling["scaling"]:
        time = {name: line[name]["median"] for name in
                ("alone", "at_once", "weak", "strong_alone", "strong")}
        print(f"{line['batch']:>12} {time['alone'] * 1e6:>8.0f}us {time['at_once'] * 1e6:>8.0f}us "
              f"{time['weak'] * 1e6:>8.0f}us {model.seconds(ranks, line['batch']) * 1e6:>8.0f}us "
              f"{time['alone'] / time['weak']:>11.2f} {time['alone'] / time['at_once']:>8.2f} "
              f"{time['at_once'] / time['weak']:>6.2f} {time['strong_alone'] / time['strong']:>6.2f}x")
    print(f"\nmodel, network assumed ({NETWORK[0] * 1e6:g} us a step, {8e-9 / NETWORK[1]:g} GB/s)")
    print(f"{'ranks':>6} {'batch a rank, talk < 10 %':>26} {'ms at 20000':>12} {'efficiency':>11} "
          f"{'if each made all draws':>23}")
    for power in range(1, 11):
        count = 2 ** power
        alone = model.seconds(1, 20000)
        print(f"{count:>6} {model.batch_for(count, network=True):>26.0f} "
              f"{model.seconds(count, 20000, True) * 1e3:>12.2f} "
              f"{alone / model.seconds(count, 20000, True):>11.2f} "
              f"{alone / model.seconds(count, 20000, True, False):>23.2f}")


def curves(model, result):
    """[(panel, title, style, points)]."""
    scaling = result["scaling"]
    lines = scaling["scaling"]
    measured = [("alone", "one rank", "w lp lw 2 pt 7 lc rgb '#000000'"),
                ("at_once", "ceiling: ranks that share nothing", "w l lw 2 dt 2 lc rgb '#000000'"),
                ("weak", f"{scaling['ranks']} ranks together", "w lp lw 2 pt 7 lc rgb '#0072b2'")]
    out = [(0, title, style, [(line["batch"], line["batch"] / line[name]["median"] / 1e6)
                              for line in lines]) for name, title, style in measured]
    out.append((0, "model", "w l lw 2 dt 3 lc rgb '#d55e00'",
                [(line["batch"], line["batch"] / model.seconds(scaling["ranks"], line["batch"]) / 1e6)
                 for line in lines]))
    many = [2 ** power for power in range(11)]
    for batch, color in ((1000, "#e69f00"), (20000, "#0072b2"), (100000, "#009e73")):
        alone = model.seconds(1, batch)
        out.append((1, f"B = {batch} a rank", f"w l lw 2 lc rgb '{color}'",
                    [(p, alone / model.seconds(p, batch, True)) for p in many]))
        title = "… each making all draws" if batch == 1000 else ""
        out.append((1, title, f"w l lw 2 dt 3 lc rgb '{color}'",
                    [(p, alone / model.seconds(p, batch, True, False)) for p in many]))
    weak = [line for line in lines if line["batch"] == 20000] or lines[-1:]
    out.append((1, "measured, of the ceiling", "w p pt 7 ps 1.2 lc rgb '#000000'",
                [(1, 1.0), (scaling["ranks"],
                            weak[0]["at_once"]["median"] / weak[0]["weak"]["median"])]))
    return out


def script(found, result, out, terminal, suffix):
    """The gnuplot script of one picture."""
    lines = [f"set terminal {terminal}", f"set output '{out}.{suffix}'", "set encoding utf8",
             "set grid xtics ytics lc rgb '#dddddd'", "set border 3", "set tics nomirror",
             "set key bottom spacing 1.3", "set yrange [0:*]", "set multiplot layout 1,2",
             "set logscale x"]
    for i, (_, _, _, points) in enumerate(found):
        lines += [f"$curve{i} << END", *(f"{x} {y:.6g}" for x, y in points), "END"]
    batches = [x for x, _ in found[0][3]]
    panels = (["set format x '10^{%L}'", f"set xrange [{batches[0] / 2}:{batches[-1] * 2}]",
               "set xlabel 'draws a rank and iteration'",
               "set ylabel 'million rows a second and rank'",
               f"set title 'measured, {result['machine']['cpu']}, {result['machine']['cores']} cores'",
               "set key right"],
              ["set logscale x 2", "set format x '%g'", "set xrange [1:1024]", "set xlabel 'ranks'",
               "set yrange [0:1.05]",
               "set ylabel 'weak scaling efficiency'", "set key left",
               "set title 'model, on an assumed network'"])
    for panel, settings in enumerate(panels):
        plots = [f"$curve{i} u 1:2 {style} " + (f"t '{title}'" if title else "notitle")
                 for i, (where, title, style, _) in enumerate(found) if where == panel]
        lines += [*settings, "plot " + ", ".join(plots)]
    return "\n".join([*lines, "unset multiplot", "unset output"]) + "\n"


def main():
    """Prints the tables and draws both pictures."""
    result = json.load(open(sys.argv[1], encoding="utf-8"))
    model = Model(result)
    told(model, result)
    if len(sys.argv) < 3:
        return
    font = "font 'DejaVu Sans,12' background 'white'"
    for terminal, suffix in ((f"svg size 1000,440 dynamic {font}", "svg"),
                             (f"pngcairo size 1300,570 {font}", "png")):
        subprocess.run(["gnuplot"], text=True, check=True,
                       input=script(curves(model, result), result, sys.argv[2], terminal, suffix))


main()
