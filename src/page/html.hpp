#pragma once

// One page that needs nothing else: style and pictures are inside.

#include <string>
#include <vector>

namespace polyak::page {

std::string escaped(const std::string& text);

/// An SVG as part of a page: without its header, names and namespaces, which
/// HTML knows already and several pictures would repeat.
std::string inline_svg(const std::string& svg);

/// An SVG near the size it was drawn for: never so small that its words cannot
/// be read (it can be pushed sideways instead), nor blown up.
std::string picture(const std::string& svg);

/// Cells are HTML already, heads are text. `stacked` is for sentences: on a
/// narrow screen each row becomes a paragraph; other tables can be pushed
/// sideways.
using Row = std::vector<std::string>;
enum class Narrow { sideways, stacked };
std::string table(const Row& head, const std::vector<Row>& rows, Narrow narrow = Narrow::sideways);
std::string paragraph(const std::string& text);
std::string details(const std::string& summary, const std::string& body);
std::string section(const std::string& id, const std::string& title, const std::string& body);

/// A small picture, as the bytes of a PNG file, with two lines below it.
struct Shot {
  std::string png, caption, detail;
};
/// Beside each other, as many as fit; the pictures are inside.
std::string gallery(const std::vector<Shot>& shots);

/// The whole page; `body` is HTML already.
std::string document(const std::string& title, const std::string& body);

}  // namespace polyak::page
