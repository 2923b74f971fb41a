#pragma once

/// \file signal_safe.hpp
/// Functions for the signal handlers of a program. The library itself installs no handlers. All
/// functions here are async-signal-safe.
///
/// A mapped input is read from the disk when its pages are accessed. If another program has
/// shortened the file meanwhile, or the disk fails, the accessing thread gets SIGBUS. The program
/// in apps/polyak has a handler that reports the file and ends.

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
namespace polyak {

struct MappedInput {
  const char* name = nullptr;  ///< the path as given; nullptr if no input is mapped at the address
  std::size_t bytes = 0;       ///< length of the file when it was opened
};

/// The input that is mapped at this address.
MappedInput mapped_input_at(const void* address) noexcept;

/// Bytes that all outputs have written so far: it grows as long as a write makes progress.
std::uint64_t output_bytes() noexcept;
/// True while a regular file is being written, under its temporary name.
bool outputs_unfinished() noexcept;

/// Removes the temporary files of unfinished outputs. For a process that is about to end: no
/// output can be completed afterwards.
void remove_unfinished_outputs() noexcept;

}  // namespace polyak
#pragma GCC visibility pop
