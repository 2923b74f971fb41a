#pragma once

// A script that measures NumPy and SciPy for us, in a process of its own: one
// line asks for a short run, one line answers with the seconds of a call. It
// makes a matrix of the same size for itself.

#include <string>
#include <vector>

#include "bench/harness.hpp"

namespace polyak::bench {

/// The interpreter, and the environment in which its BLAS may use as many
/// threads as we do.
std::string peer_python();
std::vector<std::string> peer_environment(int threads);
/// For posix_spawn.
std::vector<char*> pointers(std::vector<std::string>& words);

class ScriptPeer {
 public:
  /// Starts python3 with the script; it is told sizes and threads. After that
  /// either ready(), or why_not() says in a line what is missing.
  ScriptPeer(const std::string& script, const Options& options, int threads);
  ~ScriptPeer();
  ScriptPeer(const ScriptPeer&) = delete;
  ScriptPeer& operator=(const ScriptPeer&) = delete;

  bool ready() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  /// "NumPy 1.24.2, SciPy 1.10.1, OpenBLAS SkylakeX, 2 threads".
  const std::string& name() const { return name_; }

  /// Seconds per call of `calls` calls; infinite where the script gave up.
  /// Error io when no answer comes.
  double measure(const std::string& request, Index calls);

 private:
  void start(const std::string& script, const Options& options, int threads);
  std::string ask(const std::string& line);
  bool read_line(std::string& line);

  int channel_ = -1;
  int process_ = -1;
  std::string name_, why_not_, unread_;
};

}  // namespace polyak::bench
