#pragma once

// Lists that a signal handler can read: what is mapped, and what is being
// written. Fixed arrays of atomics, no locks; what finds no place is not listed
// and everything works as without a list.

#include <string>
#include <string_view>

#include "polyak/signal_safe.hpp"

namespace polyak::io {

/// Both strings stay where they are until it is forgotten.
void list_mapped(std::string_view bytes, const std::string& name);
void forget_mapped(std::string_view bytes);

/// `path` stays where it is until it is forgotten.
void list_unfinished(const std::string& path);
void forget_unfinished(const std::string& path);

}  // namespace polyak::io
