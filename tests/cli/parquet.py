"""Tables of Parquet: the same answers as from .csv, from a file, a pipe and standard input; what is
refused, in one line."""

import json
import os
import subprocess

POLYAK = os.environ["POLYAK"]
CORPUS = os.path.join(os.environ["POLYAK_SOURCE"], "tests/fuzz/corpus/parquet")


def polyak(*arguments, **options):
    return subprocess.run([POLYAK, *arguments], capture_output=True, timeout=120, **options)


def copy(name):
    with open(os.path.join(CORPUS, name), "rb") as source, open(f"{name}.parquet", "wb") as out:
        out.write(source.read())
    return f"{name}.parquet"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def refused(code, said, *arguments):
    done = polyak(*arguments)
    text = done.stderr.decode()
    assert done.returncode == code and said in text and text.count("\n") == 1, (arguments, done)


def the_same_x_as_from_csv():
    words = ["--rhs-column", "single", "--intercept", "--drop-nonfinite-rows", "--quiet"]
    for name in ("dictionary", "split_v2_snappy", "polars"):
        path = copy(name)
        assert polyak("convert", path, "t.csv", "--drop-nonfinite-rows", "--quiet").returncode == 0
        assert polyak("solve", "t.csv", *words, "--output", "csv.npy").returncode == 0
        assert polyak("solve", path, *words, "--output", "x.npy", "--report", "r.json").returncode == 0
        assert read("x.npy") == read("csv.npy"), name
        report = json.load(open("r.json"))
        assert report["cols"] == 6 and report["rows"] < 60, report
        done = polyak("solve", "-", *words, "--output", "x.npy", input=read(path))
        assert done.returncode == 0 and read("x.npy") == read("csv.npy"), done


def what_it_says():
    done = polyak("info", copy("text"))
    for said in (b"Apache Parquet", b"3 x 3", b"x, city, y", b"no numbers: city (text)"):
        assert said in done.stdout, done
    info = json.loads(polyak("info", copy("plain"), "--json").stdout)
    assert (info["rows"], info["cols"]) == (60, 6) and info["names"][0] == "few", info
    refused(65, "text.parquet: column 'city' holds text (expected numbers); --drop city leaves",
            "solve", "text.parquet", "--rhs-column", "y")
    done = polyak("solve", "text.parquet", "--rhs-column", "y", "--drop", "city", "--dry-run", "--quiet")
    assert done.returncode == 0 and b"3 x 1" in done.stdout, done
    assert polyak("solve", "text.parquet", "--rhs-column", "y", "--columns", "x", "--quiet").returncode == 0
    refused(2, "did you mean 'few'?", "solve", "plain.parquet", "--rhs-column", "fee")
    refused(65, "a value is missing or not finite in column 6 (holes) (found null or NaN, expected a finite number); "
            "--drop-nonfinite-rows", "solve", "plain.parquet", "--rhs-column", "few")
    refused(65, "brotli", "convert", copy("brotli"), "o.npy")
    refused(65, "encrypted", "info", copy("encrypted"))
    refused(2, ".parquet", "convert", "plain.parquet", "out.parquet")
    refused(2, "pyarrow.feather", "solve", "t.feather", "--rhs-column", "y")
    with open("torn.parquet", "wb") as file:
        file.write(read("plain.parquet")[:-7])
    refused(65, "the Parquet file is truncated", "solve", "torn.parquet", "--rhs-column", "few")


def a_vector_is_read_too():
    assert polyak("generate", "gaussian", "--rows", "60", "--cols", "3", "--output", "p", "--quiet").returncode == 0
    done = polyak("solve", "p/A.npy", copy("fastparquet"), "--quiet")  # six right-hand sides, with holes
    assert done.returncode == 65 and b"(holes)" in done.stderr, done
    done = polyak("solve", copy("checksums_zstd"), "--rhs-column", "few", "--dry-run", "--quiet")
    assert done.returncode == 0 and b"60 x 5" in done.stdout, done


the_same_x_as_from_csv()
what_it_says()
a_vector_is_read_too()
