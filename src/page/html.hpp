#pragma once

// One page that needs nothing else: style and pictures are inside.

#include <string>
#include <vector>

namespace polyak::page {

std::string escaped(const std::string& text);

/// An SVG as part of a page: without its header, names and namespaces, which
/// HTML knows already and several pictures would repeat.
std::string inline_svg(const std::string& svg);

/// Cells are HTML already.
using Row = std::vector<std::string>;
std::string table(const Row& head, const std::vector<Row>& rows);
std::string paragraph(const std::string& text);
std::string details(const std::string& summary, const std::string& body);
std::string section(const std::string& id, const std::string& title, const std::string& body);

/// The whole page; `body` is HTML already.
std::string document(const std::string& title, const std::string& body);

}  // namespace polyak::page
