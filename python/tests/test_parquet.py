"""Random tables written by pyarrow, and by other packages where they are installed, read by the
program and compared bit by bit; the package reads them through pyarrow."""

import os
import subprocess
from decimal import Context, Decimal

import numpy as np
import pytest

import polyak

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PROGRAM = os.environ.get("POLYAK", "")
needs_program = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="the program was not built")

KINDS = [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
         pa.float16(), pa.float32(), pa.float64(), pa.decimal128(9, 3), pa.decimal128(18, 5), pa.decimal128(38, 12)]
DELTA = {pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()}


def one_of(rng, *values):
    return values[rng.integers(len(values))]


def numbers(rng, kind, n):
    """Spread over the whole type, few different ones, or slowly growing ones."""
    shape = rng.integers(3)
    if pa.types.is_boolean(kind):
        return rng.random(n) < rng.choice([0.01, 0.5])
    if pa.types.is_floating(kind):
        values = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4)
        return (rng.choice(values[:5], n) if shape else values).astype(kind.to_pandas_dtype())
    if pa.types.is_decimal(kind):
        digits = min(kind.precision, 18)
        unscaled = rng.integers(-(10**digits) + 1, 10**digits, n)
        unscaled = rng.choice(unscaled[:5], n) if shape else unscaled
        return [Decimal(int(v)).scaleb(-kind.scale, Context(prec=60)) for v in unscaled]
    info = np.iinfo(kind.to_pandas_dtype())
    values = rng.integers(info.min, info.max, n, dtype=info.dtype, endpoint=True)
    if shape == 1:
        values = rng.choice(values[:4], n)
    if shape == 2:
        values = np.cumsum(rng.integers(0, 3, n), dtype=np.uint64).astype(info.dtype)
    return values


def random_table(rng, holes):
    """A table, and its values as doubles, NaN where one is missing. Few columns with holes, so that
    many rows remain."""
    n = one_of(rng, 1, 7, 130, 3000)
    kinds = [KINDS[k] for k in rng.permutation(len(KINDS))[:3 if holes else None]]
    fields, arrays, expected = [], [], []
    for k, kind in enumerate(kinds):
        values = numbers(rng, kind, n)
        missing = rng.random(n) < (rng.choice([0.0, 0.02, 0.3, 0.6]) if holes else 0.0)
        fields.append(pa.field(f"c{k}", kind, nullable=holes or bool(rng.integers(2))))
        arrays.append(pa.array(values, kind, mask=missing))
        expected.append(np.where(missing, np.nan, np.array([float(v) for v in values])))
    return pa.table(arrays, pa.schema(fields)), np.column_stack(expected)


def random_options(rng, schema):
    coded = {}
    for field in schema:
        if pa.types.is_boolean(field.type):
            coded[field.name] = one_of(rng, "PLAIN", "RLE")
        elif field.type in DELTA:
            coded[field.name] = one_of(rng, "PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT")
        else:
            coded[field.name] = one_of(rng, "PLAIN", "BYTE_STREAM_SPLIT")
    dictionary = bool(rng.integers(2))
    return dict(
        compression=one_of(rng, "none", "snappy", "gzip", "zstd", "lz4"),
        data_page_version=one_of(rng, "1.0", "2.0"),
        use_dictionary=dictionary,
        dictionary_pagesize_limit=one_of(rng, 100, 2**20),
        column_encoding=None if dictionary else coded,
        row_group_size=one_of(rng, 10, 1000, 10**6),
        data_page_size=one_of(rng, 100, 2**20),
        write_batch_size=one_of(rng, 5, 1024),
        write_page_checksum=bool(rng.integers(2)),
        write_statistics=bool(rng.integers(2)),
        store_decimal_as_integer=bool(rng.integers(2)),
    )


def convert(path, *options):
    """What the program reads, or the line that it says."""
    done = subprocess.run([PROGRAM, "convert", str(path), str(path) + ".npy", "--quiet", *options],
                          capture_output=True, text=True)
    return np.load(str(path) + ".npy") if done.returncode == 0 else done.stderr


@needs_program
@pytest.mark.parametrize("seed", range(40))
def test_random_tables_are_read_bit_by_bit(tmp_path, seed):
    rng = np.random.default_rng(seed)
    table, expected = random_table(rng, holes=bool(seed % 2))
    path = tmp_path / "t.parquet"
    pq.write_table(table, path, **random_options(rng, table.schema))
    complete = np.isfinite(expected).all(axis=1)
    if not complete.all():
        said = convert(path)
        row = int(np.argmin(complete))
        column = int(np.argmax(~np.isfinite(expected[row])))
        assert f"row {row + 1}: a value is missing or not finite in column {column + 1} " in said, said
    if complete.any():
        found = convert(path, "--drop-nonfinite-rows")
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected[complete])


@needs_program
@pytest.mark.parametrize("seed", range(6))
def test_tables_of_polars_and_fastparquet(tmp_path, seed):
    rng = np.random.default_rng(seed)
    A = np.column_stack([rng.standard_normal(5000), rng.integers(0, 5, 5000), np.arange(5000)])
    path = tmp_path / "t.parquet"
    if seed % 2:
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"x": A[:, 0], "k": A[:, 1].astype(int), "i": A[:, 2].astype("int32")})
        frame.write_parquet(path, compression=["zstd", "lz4", "snappy"][seed // 2], row_group_size=700)
    else:
        pytest.importorskip("fastparquet")
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"x": A[:, 0], "k": A[:, 1].astype(int), "i": A[:, 2].astype("int32")})
        frame.to_parquet(path, engine="fastparquet", compression=[None, "GZIP", "ZSTD"][seed // 2], index=False)
    np.testing.assert_array_equal(convert(path), A)


@needs_program
def test_a_table_is_converted_in_little_memory(tmp_path):
    rng = np.random.default_rng(5)
    path = tmp_path / "t.parquet"
    with pq.ParquetWriter(path, pa.schema([(f"c{k}", pa.float64()) for k in range(20)])) as writer:
        for _ in range(16):
            writer.write_table(pa.table({f"c{k}": rng.standard_normal(50000) for k in range(20)}))
    peak = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    words = [PROGRAM, "convert", str(path), str(tmp_path / "t.npy"), "--quiet"]
    done = subprocess.run([os.sys.executable, "-c", peak, *words], capture_output=True, text=True, check=True)
    assert os.path.getsize(path) > 120e6
    assert int(done.stdout) < 110e3, "kB; a third of it may be pages of the file that are not released yet"


def test_the_package_reads_tables_through_pyarrow(tmp_path):
    rng = np.random.default_rng(1)
    A, x = rng.standard_normal((200, 3)), np.array([1.0, -2.0, 0.5])
    table = pa.table({"u": A[:, 0], "v": A[:, 1], "w": A[:, 2], "y": A @ x})
    pq.write_table(table, tmp_path / "t.parquet")
    report = polyak.solve(tmp_path / "t.parquet", rhs_column="y")
    assert report.names == ["u", "v", "w"]
    np.testing.assert_allclose(report.x, x, rtol=1e-12)
    with pytest.raises(polyak.UsageError, match="no such column"):
        polyak.solve(tmp_path / "t.parquet", rhs_column="z")
    with pytest.raises(FileNotFoundError):
        polyak.solve(tmp_path / "none.parquet", rhs_column="y")
