#pragma once

// The functions of HDF5 that are used.

#define H5_USE_110_API
#include <hdf5.h>

#include "io/late_library.hpp"

namespace polyak::io {

inline constinit const LateLibrary hdf5_library(POLYAK_HDF5_LIBRARY, "libhdf5-103-1");

POLYAK_LATE(hdf5_library, H5Aclose)
POLYAK_LATE(hdf5_library, H5Aexists)
POLYAK_LATE(hdf5_library, H5Aget_space)
POLYAK_LATE(hdf5_library, H5Aget_type)
POLYAK_LATE(hdf5_library, H5Aopen)
POLYAK_LATE(hdf5_library, H5Aread)
POLYAK_LATE(hdf5_library, H5Dclose)
POLYAK_LATE(hdf5_library, H5Dget_create_plist)
POLYAK_LATE(hdf5_library, H5Dget_space)
POLYAK_LATE(hdf5_library, H5Dget_type)
POLYAK_LATE(hdf5_library, H5Dopen2)
POLYAK_LATE(hdf5_library, H5Dread)
POLYAK_LATE(hdf5_library, H5Eclear2)
POLYAK_LATE(hdf5_library, H5Eget_auto2)
POLYAK_LATE(hdf5_library, H5Eset_auto2)
POLYAK_LATE(hdf5_library, H5Ewalk2)
POLYAK_LATE(hdf5_library, H5Fclose)
POLYAK_LATE(hdf5_library, H5Fopen)
POLYAK_LATE(hdf5_library, H5Iget_type)
POLYAK_LATE(hdf5_library, H5Lexists)
POLYAK_LATE(hdf5_library, H5Oclose)
POLYAK_LATE(hdf5_library, H5Oexists_by_name)
POLYAK_LATE(hdf5_library, H5Oopen)
POLYAK_LATE(hdf5_library, H5Ovisit2)
POLYAK_LATE(hdf5_library, H5Pclose)
POLYAK_LATE(hdf5_library, H5Pcreate)
POLYAK_LATE(hdf5_library, H5Pget_chunk)
POLYAK_LATE(hdf5_library, H5Pget_external_count)
POLYAK_LATE(hdf5_library, H5Pget_filter2)
POLYAK_LATE(hdf5_library, H5Pget_layout)
POLYAK_LATE(hdf5_library, H5Pget_nfilters)
POLYAK_LATE(hdf5_library, H5Pset_chunk_cache)
POLYAK_LATE(hdf5_library, H5Pset_elink_cb)
POLYAK_LATE(hdf5_library, H5Sclose)
POLYAK_LATE(hdf5_library, H5Screate_simple)
POLYAK_LATE(hdf5_library, H5Sget_simple_extent_dims)
POLYAK_LATE(hdf5_library, H5Sget_simple_extent_ndims)
POLYAK_LATE(hdf5_library, H5Sget_simple_extent_npoints)
POLYAK_LATE(hdf5_library, H5Sget_simple_extent_type)
POLYAK_LATE(hdf5_library, H5Sselect_hyperslab)
POLYAK_LATE(hdf5_library, H5Tclose)
POLYAK_LATE(hdf5_library, H5Tget_class)
POLYAK_LATE(hdf5_library, H5Tget_fields)
POLYAK_LATE(hdf5_library, H5Tget_member_class)
POLYAK_LATE(hdf5_library, H5Tget_member_index)
POLYAK_LATE(hdf5_library, H5Tget_nmembers)
POLYAK_LATE(hdf5_library, H5Tget_offset)
POLYAK_LATE(hdf5_library, H5Tget_order)
POLYAK_LATE(hdf5_library, H5Tget_precision)
POLYAK_LATE(hdf5_library, H5Tget_sign)
POLYAK_LATE(hdf5_library, H5Tget_size)
POLYAK_LATE(hdf5_library, H5Tis_variable_str)
POLYAK_LATE(hdf5_library, H5Zfilter_avail)
POLYAK_LATE(hdf5_library, H5check_version)
POLYAK_LATE(hdf5_library, H5free_memory)
POLYAK_LATE(hdf5_library, H5open)

// Kinds of property lists and types, which exist once the library is open.
inline constexpr LateValue<hid_t> H5P_CLS_DATASET_ACCESS_ID_g(hdf5_library,
                                                              "H5P_CLS_DATASET_ACCESS_ID_g");
inline constexpr LateValue<hid_t> H5P_CLS_LINK_ACCESS_ID_g(hdf5_library,
                                                           "H5P_CLS_LINK_ACCESS_ID_g");
inline constexpr LateValue<hid_t> H5T_NATIVE_DOUBLE_g(hdf5_library, "H5T_NATIVE_DOUBLE_g");
inline constexpr LateValue<hid_t> H5T_NATIVE_INT64_g(hdf5_library, "H5T_NATIVE_INT64_g");

}  // namespace polyak::io
