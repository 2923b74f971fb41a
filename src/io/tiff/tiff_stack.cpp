#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <utility>

#include "io/stored.hpp"
#include "io/tiff/tiff_page.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

// Only the file read last stays open: a scan may have thousands of files.
class TiffStack final : public StoredArray {
 public:
  explicit TiffStack(std::vector<std::string> files) : files_(std::move(files)) {
    Index pages = 0;
    for (std::size_t k = 0; k < files_.size(); ++k) {
      open(k);
      if (k == 0) page_ = current_->page();
      if (current_->page() != page_)
        throw Error(ErrorCode::bad_data, {.what = "the images of the stack differ in size or type",
                                          .where = files_[k],
                                          .found = text(current_->page()),
                                          .expected = text(page_) + " as in " + files_[0]});
      first_page_.push_back(pages);
      pages += std::ssize(current_->pages());
    }
    if (pages > 1) shape_.push_back(pages);
    shape_.push_back(page_.rows);
    shape_.push_back(page_.cols);
  }

  std::string name() const override {
    return files_.size() == 1 ? files_[0]
                              : files_[0] + " and " + std::to_string(files_.size() - 1) + " more";
  }
  const std::vector<Index>& shape() const override { return shape_; }
  std::string value_type() const override { return type_name(page_); }

  void read(std::span<const Index> first, std::span<const Index> count,
            std::span<double> out) const override {
    if (out.empty()) return;
    const std::scoped_lock lock(mutex_);
    const bool stack = shape_.size() == 3;
    const Index from = stack ? first[0] : 0, pages = stack ? count[0] : 1;
    const Index top = first[first.size() - 2], rows = count[count.size() - 2];
    const Index left = first.back(), cols = count.back();
    std::vector<double> lines(to_size(rows * page_.cols));
    double* to = out.data();
    for (Index k = from; k < from + pages; ++k) {
      read_page(k, top, top + rows, lines.data());
      for (Index i = 0; i < rows; ++i, to += cols)
        std::copy_n(lines.data() + i * page_.cols + left, cols, to);
    }
  }

 private:
  static std::string text(const TiffPage& page) {
    return std::to_string(page.rows) + " x " + std::to_string(page.cols) + " " + type_name(page);
  }
  void open(std::size_t k) const {
    if (current_ != nullptr && at_ == k) return;
    current_ = std::make_unique<TiffFile>(MappedFile::open(files_[k]));
    at_ = k;
  }
  void read_page(Index page, Index first, Index last, double* out) const {
    const auto after = std::upper_bound(first_page_.begin(), first_page_.end(), page);
    const auto k = static_cast<std::size_t>(after - first_page_.begin() - 1);
    open(k);
    current_->read(to_size(page - first_page_[k]), first, last, out);
  }

  std::vector<std::string> files_;
  std::vector<Index> first_page_;
  TiffPage page_;
  std::vector<Index> shape_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<TiffFile> current_;
  mutable std::size_t at_ = 0;
};

bool is_tiff(const std::string& path) {
  std::string name = path;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.ends_with(".tif") || name.ends_with(".tiff");
}

// Compares numbers inside names by value: scan_9 comes before scan_10.
bool numeric_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = [&](std::string_view& s) {
    std::size_t end = 0;
    while (end < s.size() && digit(s[end])) ++end;
    std::string_view out = s.substr(0, end);
    s.remove_prefix(end);
    while (out.size() > 1 && out.front() == '0') out.remove_prefix(1);
    return out;
  };
  std::string_view p = a, q = b;
  while (!p.empty() && !q.empty()) {
    if (digit(p[0]) && digit(q[0])) {
      const auto m = number(p), n = number(q);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
      continue;
    }
    if (p[0] != q[0]) return p[0] < q[0];
    p.remove_prefix(1);
    q.remove_prefix(1);
  }
  return p.size() != q.size() ? p.size() < q.size() : a < b;
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> out;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return out;
}

}  // namespace

StoredArrayPtr open_tiff(const std::vector<std::string>& files) {
  return std::make_shared<TiffStack>(files);
}

ArrayInfo inspect_tiff(const MappedFile& file) {
  const auto stack = open_tiff({file.name()});
  return {.name = {}, .shape = stack->shape(), .value_type = stack->value_type()};
}

std::vector<std::string> tiff_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  const bool pattern = path.find_first_of("*?[") != std::string::npos && !fs::exists(path, error);
  if (!folder && !(pattern && is_tiff(path))) return {};
  if (folder)
    for (const auto& entry : fs::directory_iterator(path, error)) out.push_back(entry.path());
  else
    out = matches(path);
  std::erase_if(out, [](const std::string& name) { return !is_tiff(name); });
  std::sort(out.begin(), out.end(), numeric_less);
  if (!out.empty()) return out;
  throw Error(ErrorCode::no_input,
              {.what = folder ? "the folder holds no .tif files" : "no file matches the pattern",
               .where = path});
}

}  // namespace polyak::internal::io
