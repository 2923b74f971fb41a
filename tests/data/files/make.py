"""make.py: wrote the files beside it, with h5py 3.16 and SciPy. Run it where both are installed."""

import h5py
import numpy as np
import scipy.io
import scipy.sparse


def hdf5(name, oldest="v108"):
    return h5py.File(name, "w", libver=(oldest, "v110"), meta_block_size=256)


A = np.arange(12).reshape(4, 3) / 4 - 1.0
b = np.array([1.0, 2.0, 3.0, 4.0])
S = scipy.sparse.csr_matrix(([1.0, 2.0, 3.0], ([0, 2, 3], [1, 0, 2])), shape=(4, 3))

with hdf5("system.h5") as f:
    f["A"] = A
    f["b"] = b
with hdf5("packed.h5", "v110") as f:
    f.create_dataset("x/y", data=(8 * A).astype(">i2"), chunks=(3, 2), compression="gzip", shuffle=True)
    f["word"] = np.bytes_("hello")
    f["z"] = A[0] + 1j
with hdf5("sparse.h5") as f:
    group = f.create_group("columns")
    C = S.tocsc()
    group["data"], group["indices"], group["indptr"] = C.data, C.indices, C.indptr
    group.attrs["shape"] = C.shape
    group.attrs["encoding-type"] = np.bytes_("csc_matrix")
with hdf5("exchange.h5") as f:
    counts = np.arange(2 * 3 * 4).reshape(3, 2, 4) + 30
    f["exchange/data"] = counts.astype("uint16")
    f["exchange/data_white"] = np.full((2, 2, 4), 100, "uint16") + np.array([[[0]], [[2]]], "uint16")
    f["exchange/data_dark"] = np.full((2, 2, 4), 10, "uint16")
    f["exchange/theta"] = np.array([0.0, 60.0, 120.0])
    f["exchange/theta"].attrs["units"] = np.bytes_("degrees")
with hdf5("tomo.nxs") as f:
    d = f.create_group("entry/instrument/detector")
    d["data"] = (np.arange(5 * 2 * 4).reshape(5, 2, 4) + 10).astype("uint16")
    d["image_key"] = np.array([2, 1, 0, 0, 0])
    f["entry/sample/rotation_angle"] = np.array([0.0, 0.0, 0.0, 1.0, 2.0])
    f["entry/sample/rotation_angle"].attrs["units"] = np.bytes_("rad")
variables = {"A": A, "b": b, "S": S.tocsc(), "z": A + 1j, "word": "text", "t": {"q": 1}, "c": np.array([1, "a"], object)}
scipy.io.savemat("v5.mat", variables)
scipy.io.savemat("v7.mat", {"A": A.astype("float32"), "S": S.tocsc(), "n": np.arange(6, dtype="int16").reshape(3, 2)}, do_compression=True)
scipy.io.savemat("v4.mat", {"A": A}, format="4")
