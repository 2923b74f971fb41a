"""A pytest plugin: the tests of SciPy get polyak's functions in place of SciPy's."""

import scipy.optimize
import scipy.sparse.linalg

import polyak

for module, names in ((scipy.sparse.linalg, ("lsqr", "lsmr")), (scipy.optimize, ("nnls", "lsq_linear"))):
    for name in names:
        setattr(module, name, getattr(polyak, name))
