#pragma once

/// \file files.hpp
/// Which file a name stands for, files that no output may replace, and outputs that are completed
/// together. Files are compared by device and inode, so links and other names do not hide them.
/// "-" is standard input among inputs, standard output among outputs.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace polyak {

/// The name at the end of all symbolic links, also where no file has that name yet.
std::string without_links(const std::string& path);

/// The descriptor of this process that the name leads to: 3 of /dev/fd/3, 1 of /dev/stdout.
std::optional<int> descriptor_of(const std::string& path);

/// True for "-", pipes, devices and sockets, and for descriptors (/dev/fd/3) whatever they are of:
/// outputs go there directly, and the name need not tell a format. Decided by what is there: a
/// name that is not in use is that of a regular file.
bool is_stream(const std::string& path);

/// True if both are names of one file, or of one that would be made.
bool same_file(const std::string& a, const std::string& b);

/// Error usage if an output is one of the inputs ("file.h5:/array" is file.h5), another output, or
/// a file of KeptFiles. Devices may be both input and output, and several outputs may go to one
/// device; to standard output goes at most one.
void check_outputs(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

/// The inputs and outputs that a program has been given. While it lives, every output of the
/// process is compared with them when it is opened: Error usage if it would replace an input, or
/// an output of another name. For programs: it holds for all threads.
class KeptFiles {
 public:
  /// Checks them with check_outputs.
  KeptFiles(std::vector<std::string> inputs, std::vector<std::string> outputs);
  ~KeptFiles();
  KeptFiles(const KeptFiles&) = delete;
  KeptFiles& operator=(const KeptFiles&) = delete;

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }

 private:
  std::vector<std::string> inputs_, outputs_;
};

/// Files that belong together. While it lives, files that this thread writes stay temporary;
/// commit() gives all of them their names, and no signal ends the process in between. Without
/// commit() none is written. Standard output, pipes and devices are written directly.
class OutputSet {
 public:
  OutputSet();
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  void commit();

  struct Files;

 private:
  std::unique_ptr<Files> files_;
};

}  // namespace polyak
#pragma GCC visibility pop
