#pragma once

// The functions of matio that are used.

#include <matio.h>

#include "io/late_library.hpp"

namespace polyak::io {

inline constinit const LateLibrary matio_library(POLYAK_MATIO_LIBRARY, "libmatio11");

POLYAK_LATE(matio_library, Mat_Close)
POLYAK_LATE(matio_library, Mat_Open)
POLYAK_LATE(matio_library, Mat_VarFree)
POLYAK_LATE(matio_library, Mat_VarReadDataAll)
POLYAK_LATE(matio_library, Mat_VarReadInfo)
POLYAK_LATE(matio_library, Mat_VarReadNextInfo)

}  // namespace polyak::io
