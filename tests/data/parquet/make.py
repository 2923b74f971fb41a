"""Makes the files of tests/fuzz/corpus/parquet and, beside this script, what they hold: .npy of
doubles, NaN where a value is missing. The tests need none of this; it is how the files were made.

    python -m venv v && v/bin/pip install pyarrow fastparquet polars && v/bin/python make.py
"""

import base64
import datetime
import decimal
import pathlib

import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

HERE = pathlib.Path(__file__).parent
CORPUS = HERE.parent.parent / "fuzz/corpus/parquet"
SMALL = dict(write_statistics=False, store_schema=False, use_dictionary=False, compression="none", data_page_version="1.0")


def write(name, table, **options):
    path = CORPUS / name
    pq.write_table(table, path, **{**SMALL, **options})
    assert path.stat().st_size < 4096, (name, path.stat().st_size)


def save(name, columns):
    """What a table holds: one array of doubles, by rows."""
    numbers = [[np.nan if v is None else float(v) for v in column] for column in columns]
    np.save(HERE / f"{name}.npy", np.array(numbers).T.copy())


def numbers(rng, n, kind):
    if kind == "bool":
        return rng.integers(0, 2, n).astype(bool).tolist()
    if kind.startswith("float"):
        return rng.standard_normal(n).astype(kind).tolist()
    info = np.iinfo(kind)
    edges = [info.min, info.max]  # 64 bits too: rounded to the nearest double
    return edges + rng.integers(info.min, info.max, n - 2, dtype=kind, endpoint=True).tolist()


def decimals(rng, n, digits, scale):
    edges = [-(10**digits) + 1, 10**digits - 1, 1, 0]
    unscaled = edges + [int(v) * 10 ** (digits // 2) // 7 for v in rng.integers(-1000, 1000, n - len(edges))]
    context = decimal.Context(prec=60)
    return [decimal.Decimal(v).scaleb(-scale, context) for v in unscaled]


KINDS = {
    "bool": pa.bool_(), "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "int64": pa.int64(),
    "uint8": pa.uint8(), "uint16": pa.uint16(), "uint32": pa.uint32(), "uint64": pa.uint64(),
    "float16": pa.float16(), "float32": pa.float32(), "float64": pa.float64(),
}


def types(rng, holes):
    n, columns, schema = 12, [], []
    for kind, arrow in KINDS.items():
        columns.append(numbers(rng, n, kind))
        schema.append((kind, arrow))
    for digits, scale in ((9, 2), (18, 6), (38, 10), (20, 0)):
        columns.append(decimals(rng, n, digits, scale))
        schema.append((f"decimal{digits}", pa.decimal128(digits, scale)))
    if holes:
        columns = [[None if rng.random() < 0.3 else v for v in column] for column in columns]
    fields = [pa.field(name, arrow, nullable=holes) for name, arrow in schema]
    arrays = [pa.array([None if v is None else np.float16(v) for v in c] if f.type == pa.float16() else c, f.type)
              for f, c in zip(fields, columns)]
    return columns, pa.table(arrays, pa.schema(fields))


def coded(rng, n=60):
    """Columns that every encoding can hold: few different values, slowly growing ones, noise, holes."""
    columns = {
        "few": rng.choice([1.5, -2.0, 1e300], n).tolist(),
        "single": rng.standard_normal(n).astype("float32").tolist(),
        "grows": (np.cumsum(rng.integers(0, 9, n)) - 10**6).tolist(),
        "wide": rng.integers(-(2**52), 2**52, n).tolist(),
        "flag": (rng.random(n) < 0.9).tolist(),
        "holes": [None if rng.random() < 0.4 else float(v) for v in rng.standard_normal(n)],
    }
    kinds = [pa.float64(), pa.float32(), pa.int32(), pa.int64(), pa.bool_(), pa.float64()]
    fields = [pa.field(name, kind, nullable=name == "holes") for name, kind in zip(columns, kinds)]
    return columns, pa.table([pa.array(v, f.type) for f, v in zip(fields, columns.values())], pa.schema(fields))


def plain_types():
    rng = np.random.default_rng(1964)
    columns, table = types(rng, holes=False)
    save("types", columns)
    write("types", table, store_decimal_as_integer=True)
    columns, table = types(rng, holes=True)
    save("types_holes", columns)
    write("types_holes", table, compression="snappy", use_dictionary=True)


def encodings():
    columns, table = coded(np.random.default_rng(2022))
    save("coded", columns.values())
    split = {name: "BYTE_STREAM_SPLIT" for name in ("few", "single", "grows", "wide", "holes")}
    delta = {"grows": "DELTA_BINARY_PACKED", "wide": "DELTA_BINARY_PACKED", "flag": "RLE"}
    second = dict(data_page_version="2.0")
    write("plain", table)
    write("plain_pages_v2", table, data_page_size=64, write_batch_size=16, **second)
    write("dictionary", table, use_dictionary=True, row_group_size=25)
    write("dictionary_v2_gzip", table, use_dictionary=True, compression="gzip", **second)
    write("dictionary_falls_back", table, use_dictionary=True, dictionary_pagesize_limit=64, write_batch_size=16)
    write("split_zstd", table, column_encoding=split, compression="zstd")
    write("split_v2_snappy", table, column_encoding=split, compression="snappy", row_group_size=40, **second)
    write("delta_lz4", table, column_encoding=delta, compression="lz4")
    write("delta_v2", table, column_encoding=delta, row_group_size=33, **second)
    write("checksums_zstd", table, compression="zstd", write_page_checksum=True)
    polars.from_arrow(table).write_parquet(CORPUS / "polars", compression="zstd", statistics=False)


def fastparquet_file():
    import fastparquet
    import pandas as pd

    columns, _ = coded(np.random.default_rng(2022))
    frame = pd.DataFrame(columns).astype({"single": "float32", "grows": "int32", "few": "float64"})
    fastparquet.write(str(CORPUS / "fastparquet"), frame, compression="GZIP", stats=False, write_index=False)


def not_numbers():
    x = pa.array([1.0, 2.0, 3.0])
    day = datetime.date(2026, 1, 1)
    text = pa.table({"x": x, "city": ["Delft", "Jena", None], "y": [4.0, 5.0, 7.0]})
    write("text", text)
    nested = pa.table({"tags": [[1, 2], [], [3]], "x": x, "point": [{"u": 1.0, "v": 2.0}] * 3, "y": x})
    write("nested", nested)
    write("dates", pa.table({"day": [day] * 3, "x": x, "at": pa.array([1, 2, 3], pa.timestamp("us"))}))
    write("int96", pa.table({"at": pa.array([1, 2, 3], pa.timestamp("ns"))}), use_deprecated_int96_timestamps=True)
    write("nothing", pa.table({"none": pa.nulls(3), "x": x}))
    write("brotli", pa.table({"x": [1.0] * 40}), compression="brotli")
    write("no_rows", pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int32())}))


class Keys(pe.KmsClient):
    """Hides nothing: keys are wrapped by base64."""

    def __init__(self, _):
        super().__init__()

    def wrap_key(self, key, _):
        return base64.b64encode(key)

    def unwrap_key(self, key, _):
        return base64.b64decode(key)


def encrypted():
    table = pa.table({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    factory = pe.CryptoFactory(Keys)
    for name, plain in (("encrypted", False), ("encrypted_column", True)):
        keys = pe.EncryptionConfiguration(footer_key="footer", column_keys={"column": ["y"]}, plaintext_footer=plain)
        properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), keys)
        write(name, table, encryption_properties=properties)


if __name__ == "__main__":
    CORPUS.mkdir(exist_ok=True)
    plain_types()
    encodings()
    fastparquet_file()
    not_numbers()
    encrypted()
    for path in sorted(CORPUS.iterdir()):
        assert path.stat().st_size < 4096, path
