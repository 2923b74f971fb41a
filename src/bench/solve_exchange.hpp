#pragma once

// What our processes and the peers' pass to each other.

#include <string>
#include <vector>

#include "polyak/problem.hpp"

namespace polyak::bench {

/// A folder for A, b and every x, gone afterwards.
class Exchange {
 public:
  Exchange();
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// A.npy, or A.npz where A is sparse, and b.npy.
  void put(const Problem& problem) const;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Child {
  double seconds = 0.0;  ///< from its start to its end
  std::string output;    ///< what it wrote to standard output
};

/// Runs a program to its end, with no input, its output into `output_file`. Error io
/// where it does not end with 0.
Child run_child(std::vector<std::string> words, std::vector<std::string> environment,
                const std::string& output_file);

}  // namespace polyak::bench
