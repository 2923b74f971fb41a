#!/usr/bin/env python3
"""Compares `polyak tomography reconstruct` without options with expert settings.

Phantoms by seed, drawn and projected on a grid four times finer, photons counted at two
levels, 40 and 180 views. The command without options is compared with methods that have more
information: fbp with each of its filters, and sart with --noise (the true standard deviation of the
noise), each with and without --lower 0; for each the best result counts, by the true image.

Constants of the method were tuned on even seeds; odd ones are reported.

    bench/tomography_quality.py build/release/bin/polyak [--seeds odd|even|1,3] [--size 128]
"""
import argparse
import array
import json
import math
import os
import subprocess
import sys
import tempfile

LEVELS = (1e5, 5e3)
VIEWS = (40, 180)
FILTERS = ("ram-lak", "shepp-logan", "hann")


def numbers(path):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    return array.array("d", data[start:])


class Case:
    """One phantom at one noise level and number of views, in a folder of its own."""

    def __init__(self, program, size, seed, photons, views):
        self.program, self.size = program, size
        self.scan = ["--size", str(size), "--angles", str(views)]
        kind = "walnut" if seed // 2 % 3 == 2 else "shapes"
        make = ["project", kind, "--seed", str(seed), "--finer", "4", *self.scan,
                "--detectors", str(math.ceil(1.42 * size)), "--quiet"]
        attenuation = str(2.56 / size)
        self.run(*make, "--output", "clean.npy", "--save-image", "x.npy")
        self.run(*make, "--photons", str(photons), "--attenuation", attenuation,
                 "--output", "s.npy")
        clean, noisy = numbers("clean.npy"), numbers("s.npy")
        self.noise = math.sqrt(sum((a - b) ** 2 for a, b in zip(clean, noisy)) / len(clean))

    def run(self, *words, accepted=(0,)):
        done = subprocess.run([self.program, "tomography", *words], capture_output=True, text=True)
        if done.returncode not in accepted:
            sys.exit(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr}")

    def report(self, *words):
        self.run("reconstruct", "s.npy", *self.scan, "--reference", "x.npy", "--quiet",
                 "--report", "r.json", *words, accepted=(0, 3))
        with open("r.json") as file:
            return json.load(file)

    def best(self, commands):
        return min(self.report(*words, *bound)["error"]
                   for words in commands for bound in ((), ("--lower", "0")))

    def measure(self):
        nothing = self.report()
        return {"auto": nothing["error"], "status": nothing["status"],
                "passes": nothing["passes"], "seconds": nothing["seconds"]["total"],
                "smoothing": nothing["tomography"].get("smoothing"),
                "noise": self.noise, "estimated": nothing["tomography"].get("noise"),
                "fbp": self.best([("--method", "fbp", "--filter", f) for f in FILTERS]),
                "sart": self.best([("--method", "sart", "--noise", str(self.noise),
                                    "--max-passes", "30")])}


def line(cases):
    ratio = [c["auto"] / min(c["fbp"], c["sart"]) for c in cases]
    worst = max(range(len(cases)), key=lambda k: ratio[k])
    middle = lambda key: sorted(c[key] for c in cases)[len(cases) // 2]
    return (f"| {cases[0]['photons']:g} | {cases[0]['views']} | {middle('fbp'):.3f} | "
            f"{middle('sart'):.3f} | {middle('auto'):.3f} | {sorted(ratio)[len(ratio) // 2]:.2f} | "
            f"{ratio[worst]:.2f} (seed {cases[worst]['seed']}) | "
            f"{sum(r > 1 for r in ratio)} of {len(ratio)} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seeds", default="odd")
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--json")
    parser.add_argument("--details", action="store_true")
    asked = parser.parse_args()
    first = {"odd": 1, "even": 0}.get(asked.seeds)
    seeds = ([int(s) for s in asked.seeds.split(",")] if first is None
             else list(range(first, first + 24, 2)))
    program, cases = os.path.abspath(asked.program), []
    print("| photons | views | best fbp | best sart --noise | told nothing | ratio to the better, "
          "median | worst | worse |\n|---|---|---|---|---|---|---|---|", flush=True)
    keep = os.getcwd()
    for photons in LEVELS:
        for views in VIEWS:
            group = []
            for seed in seeds:
                with tempfile.TemporaryDirectory() as folder:
                    os.chdir(folder)
                    result = Case(program, asked.size, seed, photons, views).measure()
                    os.chdir(keep)
                group.append({"seed": seed, "photons": photons, "views": views, **result})
                if asked.details:
                    print({k: float(f"{v:.3g}") if isinstance(v, float) else v
                           for k, v in group[-1].items()}, flush=True)
            print(line(group), flush=True)
            cases += group
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump({"size": asked.size, "cases": cases}, file, indent=1)
    return any(c["auto"] > min(c["fbp"], c["sart"]) for c in cases)


if __name__ == "__main__":
    sys.exit(main())
