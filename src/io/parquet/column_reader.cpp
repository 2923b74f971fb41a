#include "io/parquet/column_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "io/parquet/bits.hpp"
#include "io/parquet/numbers.hpp"

namespace polyak::io::parquet {
namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t length_bytes = 4;

// The levels of a page of version 1: their length, then runs.
std::string_view levels_of_version_1(const Page& page, std::string_view bytes) {
  if (page.header.level_encoding != Encoding::rle)
    page.place.refuse("the encoding of missing values is not supported",
                      encoding_name(page.header.level_encoding), "RLE",
                      "write the table again with a newer version of the program that wrote it");
  if (bytes.size() < length_bytes) page.place.refuse("a page ends before its values");
  const std::size_t length = eight_bytes(bytes.substr(0, length_bytes), 0);
  if (length > bytes.size() - length_bytes) page.place.refuse("a page ends before its values");
  return bytes.substr(length_bytes, length);
}

}  // namespace

void ColumnReader::open(const Chunk& chunk) {
  pages_ = std::make_unique<PageStream>(*file_, chunk, *column_);
  values_.reset();
  dictionary_.clear();
  has_dictionary_ = false;
  left_in_chunk_ = chunk.values;
  left_in_page_ = 0;
}

void ColumnReader::read(double* out, Index count) {
  while (count > 0) {
    while (left_in_page_ == 0) open_page(next_data_page());
    const Index now = std::min(count, left_in_page_);
    read_present(out, now);
    out += now;
    count -= now;
  }
}

void ColumnReader::skip(Index count) {
  constexpr Index most = 512;
  std::array<double, to_size(most)> passed;
  while (count > 0) {
    if (left_in_page_ == 0) {
      const Page page = next_data_page();
      if (page.header.values <= count) {
        count -= page.header.values;
        left_in_chunk_ -= page.header.values;
        continue;
      }
      open_page(page);
    }
    const Index now = std::min({count, left_in_page_, most});
    read_present(passed.data(), now);
    count -= now;
  }
}

Page ColumnReader::next_data_page() {
  for (;;) {
    Page page = pages_->next();
    if (page.header.type == PageType::dictionary) {
      open_dictionary(page);
    } else {
      if (page.header.values > left_in_chunk_)
        page.place.refuse("the pages of a column have more values than the row group has rows",
                          std::to_string(page.header.values),
                          "at most " + std::to_string(left_in_chunk_));
      return page;
    }
  }
}

// Values of a fixed length, one after the other.
void ColumnReader::open_dictionary(const Page& page) {
  check_sum(page);
  if (has_dictionary_) page.place.refuse("the column has two dictionaries");
  if (page.header.encoding != Encoding::plain && page.header.encoding != Encoding::plain_dictionary)
    page.place.refuse("the encoding of the dictionary is not supported",
                      encoding_name(page.header.encoding), "PLAIN");
  const std::string_view bytes = unpacked_page(page, 0, pages_->codec(), *scratch_);
  has_dictionary_ = true;
  dictionary_.resize(to_size(page.header.values));
  if (page.header.values == 0) return;
  const EncodedPage values{*column_, page.place, Encoding::plain, bytes, page.header.values};
  open_values(values, {})->read(dictionary_.data(), page.header.values);
}

// A page may have no values, or only missing ones.
void ColumnReader::open_page(const Page& page) {
  check_sum(page);
  const std::string_view bytes = without_levels(page);
  pages_->release_before(page.place.byte);
  const Index count = page.header.values - missing_;
  if (page.header.type == PageType::data_2 && page.header.missing != missing_)
    page.place.refuse("a page has another number of missing values than it states",
                      std::to_string(missing_), std::to_string(page.header.missing));
  values_.reset();
  if (count > 0)
    values_ = open_values({*column_, page.place, page.header.encoding, bytes, count}, dictionary_);
  left_in_page_ = page.header.values;
}

// Unpacks the page, reads its levels and returns what follows them.
std::string_view ColumnReader::without_levels(const Page& page) {
  missing_ = 0;
  present_.clear();
  if (page.header.type == PageType::data) {
    const std::string_view all = unpacked_page(page, 0, pages_->codec(), buffer_);
    if (!column_->optional) return all;
    const std::string_view levels = levels_of_version_1(page, all);
    read_levels(page, levels);
    return all.substr(length_bytes + levels.size());
  }
  const Index repetition = page.header.repetition_bytes, definition = page.header.definition_bytes;
  const Index most = std::min(page.header.unpacked, static_cast<Index>(page.stored.size()));
  if (repetition < 0 || definition < 0 || repetition + definition > most)
    page.place.refuse("a page ends before its values");
  if (column_->optional)
    read_levels(page, page.stored.substr(to_size(repetition), to_size(definition)));
  return unpacked_page(page, to_size(repetition + definition), pages_->codec(), buffer_);
}

// Level 1: the value is there; 0: it is missing. Often all levels are one run of ones.
void ColumnReader::read_levels(const Page& page, std::string_view bytes) {
  const Index count = page.header.values;
  Runs runs(bytes, 1);
  for (Index done = 0; done < count;) {
    const Run run = runs.take(count - done);
    if (run.length == 0 || run.value > 1)
      page.place.refuse("the levels of missing values are damaged");
    if (run.length == count && !run.packed && run.value == 1) return;
    present_.resize(to_size(done + run.length), static_cast<std::uint8_t>(run.value));
    for (Index i = 0; run.packed && i < run.length; ++i)
      present_[to_size(done + i)] =
          static_cast<std::uint8_t>(bits_at(run.bits, run.first + to_size(i), 1));
    done += run.length;
  }
  missing_ = std::count(present_.begin(), present_.end(), std::uint8_t{0});
  if (missing_ == 0) present_.clear();
}

// The values that are there are read to the front of `out` and moved to their places from the end.
void ColumnReader::read_present(double* out, Index count) {
  left_in_chunk_ -= count;
  if (present_.empty()) {
    values_->read(out, count);
    left_in_page_ -= count;
    return;
  }
  const auto* present = present_.data() + to_size(std::ssize(present_) - left_in_page_);
  Index there = std::count(present, present + count, std::uint8_t{1});
  if (there > 0) values_->read(out, there);
  for (Index i = count - 1; i >= 0; --i) out[i] = present[i] != 0 ? out[--there] : missing_value;
  left_in_page_ -= count;
}

}  // namespace polyak::io::parquet
