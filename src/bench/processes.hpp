#pragma once

// Other processes: the script that measures NumPy and SciPy, and programs that are
// measured from start to end.

#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "polyak/problem.hpp"

namespace polyak::bench::internal {

/// The Python interpreter of the peers.
std::string peer_python();
/// Their environment; their BLAS may use as many threads as we do.
std::vector<std::string> peer_environment(int threads);
/// For posix_spawn.
std::vector<char*> pointers(std::vector<std::string>& words);

/// A script (bench/peers.py) that measures NumPy and SciPy in its own process, on a
/// matrix of the same size that it makes itself. A request is one line, and the answer
/// is one line with the seconds per call.
class ScriptPeer {
 public:
  /// Starts python3 with the script, the sizes and the threads. Afterwards either
  /// ready() is true, or why_not() says what is missing.
  ScriptPeer(const std::string& script, const Options& options, int threads);
  ~ScriptPeer();
  ScriptPeer(const ScriptPeer&) = delete;
  ScriptPeer& operator=(const ScriptPeer&) = delete;

  bool ready() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  /// "NumPy 1.24.2, SciPy 1.10.1, OpenBLAS SkylakeX, 2 threads".
  const std::string& name() const { return name_; }

  /// Seconds per call of `calls` calls; infinite if the script gave up. Error io if no
  /// answer comes.
  double measure(const std::string& request, Index calls);

 private:
  void start(const std::string& script, const Options& options, int threads);
  std::string ask(const std::string& line);
  bool read_line(std::string& line);

  int channel_ = -1;
  int process_ = -1;
  std::string name_, why_not_, unread_;
};

/// A temporary folder for A, b and every x, by which our processes and the peers
/// exchange files; removed by the destructor.
class Exchange {
 public:
  Exchange();
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Writes A.npy (A.npz if A is sparse) and b.npy.
  void put(const Problem& problem) const;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Child {
  double seconds = 0.0;  ///< from its start to its end
  std::string output;    ///< its standard output
};

/// Runs a program to its end, without input and with its output in `output_file`.
/// Error io unless its exit code is 0.
Child run_child(std::vector<std::string> words, std::vector<std::string> environment,
                const std::string& output_file);

}  // namespace polyak::bench::internal
