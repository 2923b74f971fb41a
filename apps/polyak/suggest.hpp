#pragma once

// Words for messages: lists, and "did you mean …?"

#include <string>
#include <vector>

namespace polyak::cli {

/// The candidate that the word was probably meant to be; empty when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string listed(const std::vector<std::string>& words);

}  // namespace polyak::cli
