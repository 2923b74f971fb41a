#pragma once

/// \file signal_safe.hpp
/// What a program's signal handlers may ask. The library installs none of its
/// own: signals belong to the program. Everything here is async-signal-safe.
///
/// An input that is mapped is read when it is looked at. If another program has
/// shortened the file by then, or its disk fails, the reader gets SIGBUS, in
/// whichever thread it was; apps/polyak/last_words.cpp shows what to do then.

#include <cstddef>

#pragma GCC visibility push(default)
namespace polyak {

struct MappedInput {
  const char* name = nullptr;  ///< as it was given; nullptr: nothing is mapped there
  std::size_t bytes = 0;       ///< as long as the file was when it was opened
};

/// The input that is mapped at this address.
MappedInput mapped_input_at(const void* address) noexcept;

/// Removes what is being written beside its final name. For a process that is
/// about to end: no output can be finished afterwards.
void remove_unfinished_outputs() noexcept;

}  // namespace polyak
#pragma GCC visibility pop
