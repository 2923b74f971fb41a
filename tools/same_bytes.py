#!/usr/bin/env python3
"""Prove that a change of the code changed no output.

  same_bytes.py record PROGRAM FOLDER   run the list of commands, keep the outputs in FOLDER
  same_bytes.py compare BEFORE AFTER    list each file that differs, with the first difference
  same_bytes.py resume PROGRAM FOLDER   continue the checkpoint kept in FOLDER: refused, or the same x

PROGRAM is build/release/bin/polyak; polyak-mpi beside it is run where mpirun is
installed. Seeds and threads are fixed, so two recordings on one machine agree.

Numbers are kept exactly as printed, and .npy files byte by byte. Left out is
what may change without a change of results:
- JSON: the keys of DROPPED, keys that end in seconds, and every text with a
  blank in it (a sentence; a name of a method or status has none);
- CSV: columns whose name ends in seconds;
- standard output: lines that are not indented (sentences) or hold one of
  DROPPED_LINES, numbers with a unit of time, columns under the heading
  "seconds"; of other lines the numbers are kept and the words are not;
- standard error, .html, .svg, .png and .tif files, and the runs that reproduce keeps.
"""

import ast
import csv
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DROPPED = {"seconds", "version", "commit", "compiler", "host", "machine", "reason", "why", "summary",
           "outcome", "note", "remarks", "recommended", "command"}
DROPPED_LINES = ("polyak solve", "  plan ", "  time ", "  size ", "  memory ", "  files ", "  x is ", "commit", "version")
KEPT = (".npy", ".npz", ".json", ".csv", ".mtx", ".svm", ".gz")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)")
TIME = re.compile(NUMBER.pattern + r"\s*(?:ns|us|ms|s|min|h|seconds|minutes|hours)\b")

# The macros of the list below; OUT is a folder of each command's own.
MACROS = {
    "RUN": "--threads 2 --seed 7 --output OUT/x.npy --report OUT/report.json --history OUT/history.csv",
    "DENSE": "solve dense/A.npy dense/b.npy --reference dense/x_ls.npy RUN",
    "SPARSE": "solve sparse/A.mtx sparse/b.npy RUN",
    "SCAN": "--angles 0:180:45 --size 32 --threads 2",
    "IMAGE": "tomography reconstruct sinogram.npy SCAN --seed 7 --output OUT/x.npy "
             "--report OUT/report.json --history OUT/history.csv",
}
SAMPLED = {"sgd", "rk", "minibatch-sgd", "minibatch-hbm", "minibatch-nag", "ark"}
METHODS = ["gd", "hbm", "nag", "sgd", "rk", "minibatch-sgd", "minibatch-hbm", "minibatch-nag", "ark", "cgls",
           "lsqr", "cg", "direct", "normal", "sketch-hbm", "active-set", "bounded-cg"]
LIST = """
generate-dense     generate spectrum --rows 3000 --cols 40 --noise 0.1 --seed 3 --threads 2 --output dense
generate-exact     generate spectrum --rows 20000 --cols 50 --kappa 1000 --seed 4 --threads 2 --output exact
generate-sparse    generate sampling --rows 4000 --cols 40 --seed 5 --threads 2 --output sparse
generate-gaussian  generate gaussian --rows 60 --cols 200 --seed 6 --threads 2 --output wide
generate-noisy     generate gaussian --rows 30000 --cols 80 --noise 3 --seed 8 --threads 2 --output noisy
generate-varied    generate varied --seed 12 --threads 2 --output varied
inputs             make the files that no generator writes
auto-exact         solve exact/A.npy exact/b.npy RUN
auto-noisy         solve noisy/A.npy noisy/b.npy RUN
auto-sampled       solve noisy/A.npy noisy/b.npy --certify sampled RUN
auto-sparse        solve sparse/A.mtx sparse/b.npy RUN
auto-wide          solve wide/A.npy wide/b.npy RUN
auto-bounded       DENSE --lower 0 --upper 0.5
auto-stated-spec   DENSE --method hbm --lambda-min 1 --lambda-max 100
auto-single        solve noisy/A.npy noisy/b.npy --precision single --tol 1e-5 RUN
ridge              DENSE --ridge 0.5
ridge-lsqr         DENSE --ridge 0.5 --method lsqr
ridge-hbm          DENSE --ridge 0.5 --method minibatch-hbm --batch 64 --max-passes 20
weights            DENSE --weights weights.npy
weights-rk         DENSE --weights weights.npy --method rk --max-passes 20
x0                 DENSE --x0 x0.npy --method cgls
x0-wide            solve wide/A.npy wide/b.npy --x0 x0wide.npy RUN
intercept          solve dense/A.npy dense/b.npy --intercept RUN
right-hand-sides   solve dense/A.npy several.npy RUN
right-hand-sides-m solve dense/A.npy several.npy --method minibatch-hbm --batch 100 --max-passes 10 RUN
paper              DENSE --method minibatch-hbm --parameters paper --max-passes 30
uniform            DENSE --method minibatch-hbm --sampling uniform --batch 200 --max-passes 30
mixed-sparse       SPARSE --method minibatch-sgd --sampling mixed --batch 50 --max-passes 30
single-hbm         DENSE --method minibatch-hbm --precision single --batch 100 --max-passes 10
unscaled           solve varied/A.* varied/b.npy --column-scaling none --max-passes 200 RUN
varied             solve varied/A.* varied/b.npy --max-passes 200 RUN
sketch             solve noisy/A.npy noisy/b.npy --spectrum sketch --method hbm --max-iterations 40 RUN
lanczos            SPARSE --spectrum lanczos --method hbm --max-iterations 40
statistics         DENSE --statistics --output-statistics OUT/statistics.csv
diverged           DENSE --method gd --step-size 1 --max-iterations 50
summary            solve exact/A.npy exact/b.npy --threads 2 --method minibatch-hbm --batch 300
dry-run            solve noisy/A.npy noisy/b.npy --threads 2 --memory 1e9 --dry-run
csv                solve table.csv --rhs-column b RUN
svm                solve OUT/../convert-svm/table.svm RUN
h5                 solve ROOT/tests/data/files/system.h5 RUN
mat                solve ROOT/tests/data/files/v5.mat RUN
plan-text          plan dense/A.npy dense/b.npy --threads 2
plan-json          plan dense/A.npy dense/b.npy --threads 2 --json
plan-sparse        plan sparse/A.mtx --sampling uniform --threads 2 --json
plan-wide          plan wide/A.npy wide/b.npy --threads 2 --json
theory-formula     theory --decay algebraic --rho 1 --kappa 100 --cols 100 --batch 4735 --json
theory-text        theory --lambda-min 1 --lambda-max 50 --frobenius2 197 --cols 9 --batch 40
theory-matrix      theory --matrix dense/A.npy --sampling uniform --batch 500 --residual-norm 0.1 --json
convert-mtx        convert dense/A.npy OUT/A.mtx
convert-gz         convert sparse/A.mtx OUT/A.mtx.gz
convert-csv        convert sparse/A.mtx OUT/A.csv --precision single
convert-svm        convert table.csv OUT/table.svm
convert-h5         convert ROOT/tests/data/files/sparse.h5 OUT/A.mtx
info-npy           info dense/A.npy --json
info-mtx           info sparse/A.mtx
info-csv           info table.csv --json
info-h5            info ROOT/tests/data/files/exchange.h5 --json
info-mat           info ROOT/tests/data/files/v7.mat --json
scan-matrix        tomography matrix SCAN --detectors 46 --output OUT/A.mtx --report OUT/report.json
scan-matrix-fan    tomography matrix SCAN --beam fan --source-distance 90 --detector-distance 30 --detectors 60 --projector strip --output OUT/A.npz --report OUT/report.json
scan-project       tomography project walnut --finer 2 SCAN --detectors 46 --photons 1e5 --attenuation 0.02 --seed 7 --output sinogram.npy --save-image OUT/image.npy
scan-exact         tomography project shepp-logan --exact --projector linear SCAN --detectors 46 --output OUT/s.npy
scan-tif           tomography project shapes --seed 2 SCAN --detectors 46 --output shapes.tif
scan-tif-convert   convert shapes.tif OUT/s.npy
image-auto         IMAGE
image-tv           IMAGE --method tv --smoothing 0.001
image-hbm          IMAGE --method minibatch-hbm --lower 0 --max-passes 10
image-stored       IMAGE --method minibatch-hbm --stored --batch 200 --max-passes 6
image-sirt         IMAGE --method sirt --lower 0 --max-iterations 30
image-sart         IMAGE --method sart --max-passes 4 --residual OUT/residual.npy
image-fbp          IMAGE --method fbp --filter hann
image-lsqr         IMAGE --method lsqr --max-iterations 20
image-kaczmarz     IMAGE --method kaczmarz --max-passes 4
image-scan         tomography reconstruct ROOT/tests/data/files/exchange.h5 --method sirt --max-iterations 5 --threads 2 --output OUT/x.npy --report OUT/report.json
checkpoint         solve dense/A.npy dense/b.npy --method minibatch-hbm --batch 64 --tol 0 --max-iterations 400 --checkpoint run.ckpt RUN
resume             solve dense/A.npy dense/b.npy --method minibatch-hbm --batch 64 --tol 0 --max-iterations 900 --checkpoint run.ckpt --resume auto RUN
reproduce          reproduce all --rows 2000 --trials 4 --threads 2 --seed 1 --out OUT
"""
RANKS = """
dense-hbm    solve dense/A.npy dense/b.npy --method minibatch-hbm --batch 300 --max-iterations 25 --threads 1 RANKRUN
dense-auto   solve noisy/A.npy noisy/b.npy --threads 1 RANKRUN
sparse-lsqr  solve sparse/A.mtx sparse/b.npy --method lsqr --max-iterations 10 --threads 1 RANKRUN
"""
MACROS["RANKRUN"] = MACROS["RUN"].replace("--threads 2 ", "")


def by_name():
    """Every method of solve, on a dense and on a sparse problem."""
    for method in METHODS:
        limit = "--max-passes 20" if method in SAMPLED else "--max-iterations 300"
        bounds = " --lower 0" if method in ("active-set", "bounded-cg") else ""
        yield f"dense-{method} DENSE --method {method} {limit}{bounds}"
        yield f"sparse-{method} SPARSE --method {method} {limit}{bounds}"


def expanded(line, out):
    name, text = line.split(None, 1)
    for _ in range(2):
        for macro, value in MACROS.items():
            text = re.sub(rf"\b{macro}\b", value, text)
    return name, text.replace("OUT", os.path.join(out, name)).replace("ROOT", ROOT).split()


def commands(program, out):
    """(name, arguments) of every command, in order."""
    lines = [line for line in LIST.splitlines() if line]
    made = next(i for i, line in enumerate(lines) if line.startswith("auto-"))
    # svm reads what convert-svm wrote.
    later = [line for line in lines[made:] if line.startswith("svm ")]
    rest = [line for line in lines[made:] if line not in later]
    for line in [*lines[:made], *by_name(), *rest, *later]:
        name, words = expanded(line, out)
        yield name, [program, *words]
    mpirun, ranked = shutil.which("mpirun"), program + "-mpi"
    if mpirun and os.path.exists(ranked):
        for n in "123":
            for line in RANKS.splitlines()[1:]:
                name, words = expanded(f"ranks{n}-{line}", out)
                yield name, [mpirun, "--oversubscribe", "--allow-run-as-root", "-n", n, ranked, *words]


def read_npy(data):
    """Header and body of a .npy file."""
    length = struct.unpack("<H", data[8:10])[0]
    return ast.literal_eval(data[10:10 + length].decode()), data[10 + length:]


def numbers(path):
    with open(path, "rb") as file:
        head, body = read_npy(file.read())
    assert head["descr"] == "<f8", head
    return list(struct.unpack(f"<{len(body) // 8}d", body))


def write_npy(path, values, shape):
    head = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    head += b" " * (63 - (len(head) + 10) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
        file.write(struct.pack(f"<{len(values)}d", *values))


def make_inputs():
    b = numbers("dense/b.npy")
    n = len(b)
    write_npy("weights.npy", [0.5 + (i % 7) / 4 for i in range(n)], (n,))
    write_npy("x0.npy", [i / 16 - 1 for i in range(40)], (40,))
    write_npy("x0wide.npy", [i % 5 - 2 for i in range(200)], (200,))
    write_npy("several.npy", [v for i in range(n) for v in (b[i], b[n - 1 - i], i % 3)], (n, 3))
    A = numbers("dense/A.npy")
    with open("table.csv", "w", encoding="ascii") as file:
        file.write(",".join(f"x{j}" for j in range(40)) + ",b\n")
        for i in range(300):
            file.write(",".join(repr(v) for v in A[40 * i:40 * i + 40]) + f",{b[i]!r}\n")


def fields(value, path=""):
    """A JSON value as lines "path value", without what may change."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in DROPPED and not key.endswith("seconds"):
                yield from fields(inner, f"{path}.{key}")
    elif isinstance(value, list):
        yield f"{path}.length {len(value)}"
        for i, inner in enumerate(value):
            yield from fields(inner, f"{path}[{i}]")
    elif not (isinstance(value, str) and " " in value):
        yield f"{path} {value}"


def plain_json(text):
    return "\n".join(fields(json.loads(text, parse_float=str, parse_int=str))) + "\n"


def plain_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    keep = [i for i, name in enumerate(rows[0]) if not name.endswith("seconds")] if rows else []
    return "\n".join(",".join(row[i] for i in keep if i < len(row)) for row in rows) + "\n"


def plain_text(text):
    """The numbers of a table, line by line, without times."""
    lines, columns = [], []
    for line in text.splitlines():
        if not line.startswith(" ") or any(word in line for word in DROPPED_LINES):
            columns = columns if line.strip() else []
            continue
        heading = [m.span() for m in re.finditer(r"\bseconds\b", line)]
        columns = heading or columns
        spans = columns + [m.span() for m in TIME.finditer(line)]
        found = [m.group() for m in NUMBER.finditer(line)
                 if not any(m.start() < last and first < m.end() for first, last in spans)]
        if found:
            lines.append(" ".join(found))
    return "\n".join(lines) + "\n"


def stored(path):
    """The bytes to keep of a file."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".json"):
        return plain_json(data.decode()).encode()
    if path.endswith(".csv"):
        return plain_csv(data.decode()).encode()
    return data


def keep(source, target):
    """What a command wrote into its folder."""
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(KEPT):
                with open(os.path.join(target, name), "wb") as file:
                    file.write(stored(os.path.join(folder, name)))


def run(words, target):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=150, check=False)
    try:
        said = plain_json(done.stdout)
    except ValueError:
        said = plain_text(done.stdout)
    with open(os.path.join(target, "stdout"), "w", encoding="utf-8") as file:
        file.write(f"exit code {done.returncode}\n{said}")
    if done.returncode not in (0, 3, 4):
        print(f"{os.path.basename(target)}: exit code {done.returncode}: {done.stderr.strip()}")


def varied(word):
    """The matrix of a generated problem, whose format depends on the problem."""
    return next(p for p in (word[:-1] + "npy", word[:-1] + "mtx") if os.path.exists(p)) if word.endswith("A.*") else word


def record(program, folder):
    program, folder = os.path.abspath(program), os.path.abspath(folder)
    os.makedirs(folder)
    os.environ.update(OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_mpi_yield_when_idle="1", LC_ALL="C")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        out = os.path.join(work, "out")
        for name, words in commands(program, out):
            source, target = os.path.join(out, name), os.path.join(folder, name)
            os.makedirs(source)
            os.makedirs(target)
            if name == "inputs":
                make_inputs()
                continue
            run([varied(word) for word in words], target)
            keep(source, target)
            if name == "checkpoint":
                os.makedirs(os.path.join(folder, "inputs"), exist_ok=True)
                shutil.copy("run.ckpt", os.path.join(folder, "inputs", "run.ckpt"))
            for made in ("dense", "exact", "sparse", "wide", "noisy", "varied"):
                if words[-1] == made:
                    keep(made, target)
    print(f"{len(os.listdir(folder))} commands recorded in {folder}")


def listed(folder):
    return {os.path.relpath(os.path.join(at, name), folder)
            for at, _, names in os.walk(folder) for name in names if name != "run.ckpt"}


def first_difference(path, a, b):
    if path.endswith(".npy") and a[:6] == b[:6] == b"\x93NUMPY":
        (head_a, a), (head_b, b) = read_npy(a), read_npy(b)
        if head_a != head_b:
            return f"{head_a} and {head_b}"
        if head_a["descr"] == "<f8":
            pairs = zip(struct.iter_unpack("<d", a), struct.iter_unpack("<d", b))
            i, (u, v) = next((i, p) for i, p in enumerate(pairs) if struct.pack("<dd", *p[0], *p[0]) != struct.pack("<dd", *p[1], *p[1]))
            return f"element {i}: {u[0]!r} and {v[0]!r}"
    try:
        lines_a, lines_b = a.decode().splitlines(), b.decode().splitlines()
    except UnicodeDecodeError:
        return f"byte {next((i for i, (u, v) in enumerate(zip(a, b)) if u != v), min(len(a), len(b)))}"
    for i, (u, v) in enumerate(zip(lines_a, lines_b), 1):
        if u != v:
            return f"line {i}: '{u[:160]}' and '{v[:160]}'"
    return f"{len(lines_a)} and {len(lines_b)} lines"


def compare(before, after):
    different = 0
    for path in sorted(listed(before) | listed(after)):
        sides = [os.path.join(side, path) for side in (before, after)]
        missing = [side for side in sides if not os.path.exists(side)]
        if missing:
            print(f"{path}: not in {os.path.dirname(os.path.dirname(missing[0]))}")
            different += 1
            continue
        a, b = (open(side, "rb").read() for side in sides)
        if a != b:
            print(f"{path}: {first_difference(path, a, b)}")
            different += 1
    print(f"{different} of {len(listed(before) | listed(after))} files differ")
    return 1 if different else 0


def resume(program, folder):
    """The checkpoint of another build is refused (65), or gives the bytes of that build."""
    program, folder = os.path.abspath(program), os.path.abspath(folder)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        done = None
        for name, words in commands(program, work):
            if name in ("generate-dense", "resume"):
                os.makedirs(name)
                shutil.copy(os.path.join(folder, "inputs", "run.ckpt"), "run.ckpt")
                done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode == 65:
            print(f"refused: {done.stderr.strip()}")
            return 0
        with open("resume/x.npy", "rb") as a, open(os.path.join(folder, "resume", "x.npy"), "rb") as b:
            same = a.read() == b.read()
        print("equal" if same else "different")
        return 0 if same else 1


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("record", "compare", "resume"):
        sys.exit(__doc__)
    action = {"record": record, "compare": compare, "resume": resume}[sys.argv[1]]
    sys.exit(action(sys.argv[2], sys.argv[3]))


if __name__ == "__main__":
    main()
