#pragma once

// The functions of libtiff that are used.

#include <tiffio.h>

#include "io/late_library.hpp"

namespace polyak::io {

inline constinit const LateLibrary tiff_library(POLYAK_TIFF_LIBRARY, "libtiff6");

POLYAK_LATE(tiff_library, TIFFClientOpen)
POLYAK_LATE(tiff_library, TIFFClientOpenExt)
POLYAK_LATE(tiff_library, TIFFClose)
POLYAK_LATE(tiff_library, TIFFComputeStrip)
POLYAK_LATE(tiff_library, TIFFComputeTile)
POLYAK_LATE(tiff_library, TIFFCurrentDirOffset)
POLYAK_LATE(tiff_library, TIFFGetField)
POLYAK_LATE(tiff_library, TIFFGetFieldDefaulted)
POLYAK_LATE(tiff_library, TIFFIsTiled)
POLYAK_LATE(tiff_library, TIFFOpenOptionsAlloc)
POLYAK_LATE(tiff_library, TIFFOpenOptionsFree)
POLYAK_LATE(tiff_library, TIFFOpenOptionsSetErrorHandlerExtR)
POLYAK_LATE(tiff_library, TIFFOpenOptionsSetWarningHandlerExtR)
POLYAK_LATE(tiff_library, TIFFReadDirectory)
POLYAK_LATE(tiff_library, TIFFReadEncodedStrip)
POLYAK_LATE(tiff_library, TIFFReadEncodedTile)
POLYAK_LATE(tiff_library, TIFFSetField)
POLYAK_LATE(tiff_library, TIFFSetSubDirectory)
POLYAK_LATE(tiff_library, TIFFWriteDirectory)
POLYAK_LATE(tiff_library, TIFFWriteScanline)

}  // namespace polyak::io
