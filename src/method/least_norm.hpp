#pragma once

// Of all x that fit alike the one nearest to the start.

#include "method/method.hpp"

namespace polyak {

/// `x` (c × d, a correction to the start in the working variables) gets the combination of
/// the null space N (d × k) added that makes it shortest in the user's variables: the least
/// ‖D(x + N·y)‖, D the columns' units, the intercept left out. Nothing where columns are
/// not scaled: then x is to be the shortest already.
void shorten(const Setting& setting, ConstView N, View x);

}  // namespace polyak
