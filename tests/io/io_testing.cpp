#include "io_testing.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace polyak::testing {

namespace fs = std::filesystem;

Folder::Folder() : path_((fs::temp_directory_path() / "polyak-test-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, std::string_view bytes) const {
  const std::string path = *this / name;
  fs::remove(path);  // ext4 flushes a file that is truncated and written anew
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
  return path;
}

std::vector<std::string> Folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string npy_bytes(const std::string& dictionary, std::string_view payload, int version) {
  std::string out("\x93NUMPY");
  out += static_cast<char>(version);
  out += '\0';
  const std::size_t length = dictionary.size() + 1;
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    out += static_cast<char>((length >> (8 * i)) & 0xff);
  return out + dictionary + "\n" + std::string(payload);
}

std::string npy_bytes(const std::string& descr, bool fortran, const std::string& shape,
                      std::string_view payload) {
  return npy_bytes("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }",
                   payload);
}

std::string gzip_bytes(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::vector<double> values_of(const RowMatrix& A) {
  std::vector<double> values(to_size(A.rows() * A.cols()));
  A.copy_rows(0, A.rows(), View{values.data(), A.rows(), A.cols(), A.cols()});
  return values;
}

std::vector<double> values_of(const Array& array) {
  std::vector<double> values;
  for (Index i = 0; i < array.rows(); ++i)
    for (Index j = 0; j < array.cols(); ++j) values.push_back(array(i, j));
  return values;
}

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error where one was expected";
  return Error(ErrorCode::internal, {.what = "no error"});
}

int code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return static_cast<int>(error.code());
  }
  return 0;
}

namespace {

void limit_address_space() {
#ifndef POLYAK_SANITIZED  // sanitizers take terabytes of addresses for themselves
  const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

int run_quietly(const std::function<void()>& call) {
  try {
    return code_of(call);
  } catch (const std::bad_alloc&) {
    return static_cast<int>(ErrorCode::out_of_memory);
  } catch (...) {
    return static_cast<int>(ErrorCode::internal);
  }
}

double peak_mb(const rusage& usage) { return static_cast<double>(usage.ru_maxrss) / 1024.0; }

double seconds(const rusage& usage) {
  const auto whole = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
  const auto micro = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  return static_cast<double>(whole) + 1e-6 * static_cast<double>(micro);
}

}  // namespace

ChildResult in_child(const std::function<void()>& call) {
  std::array<int, 2> channel{};
  EXPECT_EQ(::pipe(channel.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    limit_address_space();
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    const int code = run_quietly(call);
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    const ChildResult result{code, peak_mb(after) - peak_mb(before),
                             seconds(after) - seconds(before)};
    const bool sent = ::write(channel[1], &result, sizeof result) == sizeof result;
    ::_exit(sent ? 0 : 1);
  }
  ::close(channel[1]);
  ChildResult result{-1, 0.0, 0.0};
  EXPECT_EQ(::read(channel[0], &result, sizeof result), static_cast<ssize_t>(sizeof result))
      << "the child process died";
  ::close(channel[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return result;
}

}  // namespace polyak::testing
