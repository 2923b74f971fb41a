#include "polyak/error.hpp"

#include <utility>

namespace polyak {
namespace {

std::string compose(const ErrorParts& p) {
  std::string line;
  if (!p.where.empty()) line += p.where + ": ";
  line += p.what;
  if (!p.found.empty() && !p.expected.empty()) {
    line += " (found " + p.found + ", expected " + p.expected + ")";
  } else if (!p.found.empty()) {
    line += " (found " + p.found + ")";
  } else if (!p.expected.empty()) {
    line += " (expected " + p.expected + ")";
  }
  if (!p.hint.empty()) line += "; " + p.hint;
  return printable(line);
}

}  // namespace

// In UTF-8 the control characters U+0080 to U+009F are C2 80 to C2 9F.
std::string printable(const std::string& text, bool several_lines) {
  std::string out;
  bool after_c2 = false;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    const bool kept = several_lines && (c == '\n' || c == '\t');
    if (after_c2 && u >= 0x80 && u < 0xa0) {
      out.back() = '?';
    } else {
      out += (u < 0x20 || u == 0x7f) && !kept ? '?' : c;
    }
    after_c2 = u == 0xc2;
  }
  return out;
}

Error::Error(ErrorCode code, ErrorParts parts)
    : code_(code), parts_(std::move(parts)), line_(compose(parts_)) {}

}  // namespace polyak
