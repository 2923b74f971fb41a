#pragma once

// Memory that is refused, told with what it was wanted for.

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "polyak/error.hpp"

namespace polyak::cli {

inline Error out_of_memory(const std::string& where) {
  return Error(ErrorCode::out_of_memory,
               {.what = "there is not enough memory",
                .where = where,
                .found = {},
                .expected = {},
                .hint = "free some, raise the limit, or try --precision single"});
}

/// Runs the work; a refusal of memory or threads becomes an Error that says
/// where. A size no memory could have counts as one.
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
