#pragma once

// Memory of the machine, and failed allocations as Errors.

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "polyak/error.hpp"
#include "polyak/machine_memory.hpp"

namespace polyak::cli {

/// "800 MB".
std::string bytes_text(double bytes);

inline Error out_of_memory(const std::string& where) {
  return Error(ErrorCode::out_of_memory,
               {.what = "there is not enough memory",
                .where = where,
                .found = {},
                .expected = {},
                .hint = "free some, raise the limit, or try --precision single"});
}

/// Runs the work. A failure to get memory or a thread becomes an Error with `where`;
/// so does a size beyond what std::vector can hold.
template <class Work>
auto with_memory_for(const std::string& where, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw out_of_memory(where);
  } catch (const std::length_error&) {
    throw out_of_memory(where);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    throw out_of_memory(where);
  }
}

}  // namespace polyak::cli
