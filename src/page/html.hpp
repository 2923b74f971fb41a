#pragma once

// A self-contained HTML page: style and pictures are part of it.

#include <string>
#include <vector>

namespace polyak::internal::page {

/// The text with &, <, > and " as entities.
std::string escaped(const std::string& text);

/// An SVG as part of a page: without XML header, ids and namespaces, which HTML does not need and
/// which would occur several times.
std::string inline_svg(const std::string& svg);

/// An SVG at 0.8 to 1.3 times the width it was drawn for; on a narrower screen it can be
/// scrolled horizontally.
std::string picture(const std::string& svg);

/// Cells are HTML, head is plain text. On a narrow screen a `stacked` table shows each row as a
/// paragraph (for sentences), a `sideways` table can be scrolled horizontally.
using Row = std::vector<std::string>;
enum class Narrow { sideways, stacked };
std::string table(const Row& head, const std::vector<Row>& rows, Narrow narrow = Narrow::sideways);
std::string paragraph(const std::string& text);
std::string details(const std::string& summary, const std::string& body);
std::string section(const std::string& id, const std::string& title, const std::string& body);

/// A small image (the bytes of a PNG file) with two lines of text below it.
struct Shot {
  std::string png, caption, detail;
};
/// The images side by side, embedded as base64.
std::string gallery(const std::vector<Shot>& shots);

/// The whole page; `body` is HTML.
std::string document(const std::string& title, const std::string& body);

}  // namespace polyak::internal::page
