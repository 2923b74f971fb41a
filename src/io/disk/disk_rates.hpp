#pragma once

// How fast the disk is, measured on the file itself in a few milliseconds (a few tenths of a second
// on a disk that turns).

#include <optional>

#include "io/disk/row_layout.hpp"
#include "polyak/disk_rows.hpp"

namespace polyak::io {

/// Reads blocks in order, and single rows at random places with the queue full. Rounded, so that
/// the next run finds the same. Nothing for a file that is small, or of which a part cannot be
/// read.
std::optional<DiskRates> measured_rates(const DiskFile& file, const RowLayout& layout,
                                        ReadQueue& queue);

/// The nearest of the numbers centre·4^k.
double rounded_rate(double rate, double centre);

}  // namespace polyak::io
