#pragma once

// Results on disk, one file each, named after a hash of all that they depend
// on. Files are whole or not there; one that cannot be read counts as not there.

#include <optional>
#include <set>
#include <string>

#include "experiments/result.hpp"

namespace polyak::experiments {

class Store {
 public:
  /// Makes out/.runs. With `forget` nothing that is there counts.
  Store(const std::string& out, bool forget);

  template <class Value>
  std::optional<Value> load(const std::string& key) const;
  template <class Value>
  void save(const std::string& key, const Value& value);

  /// Whether it was saved here, in this call.
  bool saved(const std::string& key) const;
  std::string path(const std::string& key) const;

 private:
  std::string folder_;
  bool forget_;
  std::set<std::string> saved_;  // by us: these count even when forgetting
};

}  // namespace polyak::experiments
