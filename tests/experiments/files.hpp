#pragma once

// What a run left behind.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace polyak::experiments {

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace polyak::experiments
