#include <fmt/format.h>

#include "page/html.hpp"

namespace polyak::page {
namespace {

// RFC 4648: three bytes become four letters, "=" fills up the last four.
std::string base64(const std::string& bytes) {
  static const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : letters[three >> (18 - 6 * k) & 63u];
  }
  return out;
}

}  // namespace

std::string gallery(const std::vector<Shot>& shots) {
  std::string out = "<div class=\"gallery\">\n";
  for (const Shot& shot : shots)
    out += fmt::format(
        "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\">"
        "<figcaption>{0}<br><span class=\"small\">{2}</span></figcaption></figure>\n",
        escaped(shot.caption), base64(shot.png), escaped(shot.detail));
  return out + "</div>\n";
}

}  // namespace polyak::page
