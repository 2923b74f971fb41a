#pragma once

#include <memory>

#include "polyak/report.hpp"

namespace polyak::python {

/// A report, for polyak/_report.py.
struct Result {
  std::shared_ptr<const Report> report;
};

}  // namespace polyak::python
