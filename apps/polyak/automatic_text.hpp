#pragma once

// What auto would do, for people.

#include <string>

#include "polyak/automatic_plan.hpp"

namespace polyak::cli {

/// "800 MB".
std::string bytes_text(double bytes);

/// The look, a numbered line for each method in the order auto takes them, and
/// one for each that it does not take.
std::string automatic_text(const AutomaticPlan& plan);

}  // namespace polyak::cli
