#include "parquet_testing.hpp"

#include <cmath>

#include "io_testing.hpp"

namespace polyak::testing {
namespace {

constexpr int yes = 1, no = 2, int64 = 6, binary = 8, list_type = 9, record_type = 12;

std::string data_folder() { return POLYAK_TEST_DATA; }

}  // namespace

std::string CompactWriter::varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

void CompactWriter::head(int id, int type) {
  const int step = id - last_;
  if (step > 0 && step < 16)
    bytes_ += static_cast<char>(step << 4 | type);
  else
    bytes_ += static_cast<char>(type) + varint(static_cast<std::uint64_t>(id) << 1);
  last_ = id;
}

CompactWriter& CompactWriter::number(int id, std::int64_t value) {
  head(id, int64);
  const auto bits = static_cast<std::uint64_t>(value);
  bytes_ += varint(bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0));
  return *this;
}

CompactWriter& CompactWriter::text(int id, std::string_view value) {
  head(id, binary);
  bytes_ += varint(value.size());
  bytes_ += value;
  return *this;
}

CompactWriter& CompactWriter::flag(int id, bool value) {
  head(id, value ? yes : no);
  return *this;
}

CompactWriter& CompactWriter::record(int id, const CompactWriter& value) {
  head(id, record_type);
  bytes_ += value.bytes();
  return *this;
}

CompactWriter& CompactWriter::list(int id, const std::vector<CompactWriter>& records) {
  false_list(id, records.size());
  for (const CompactWriter& record : records) bytes_ += record.bytes();
  return *this;
}

CompactWriter& CompactWriter::false_list(int id, std::uint64_t claimed) {
  head(id, list_type);
  bytes_ += static_cast<char>(0xf0 | record_type);
  bytes_ += varint(claimed);
  return *this;
}

std::vector<CompactWriter> schema_of(const CompactWriter& element) {
  return {CompactWriter().text(4, "schema").number(5, 1), element};
}

std::string parquet_file(const std::string& pages, const CompactWriter& footer) {
  const std::string metadata = footer.bytes();
  std::string length;
  for (std::size_t k = 0; k < 4; ++k) length += static_cast<char>(metadata.size() >> (8 * k));
  return "PAR1" + pages + metadata + length + "PAR1";
}

std::string HandMade::bytes() const {
  const auto count = static_cast<std::int64_t>(values.size());
  const std::string stored = page.value_or(raw_bytes(values));
  const auto size = static_cast<std::int64_t>(stored.size());
  const CompactWriter inner =
      CompactWriter().number(1, page_values.value_or(count)).number(2, encoding).number(3, 3);
  const CompactWriter usual_header = CompactWriter()
                                         .number(1, page_type)
                                         .number(2, unpacked.value_or(size))
                                         .number(3, packed.value_or(size))
                                         .record(page_type == 2 ? 7 : 5, inner);
  const std::string pages = header.value_or(usual_header).bytes() + stored;
  const CompactWriter metadata =
      CompactWriter()
          .number(1, type)
          .number(4, codec)
          .number(5, chunk_values.value_or(count))
          .number(7, chunk_bytes.value_or(static_cast<std::int64_t>(pages.size())))
          .number(9, first.value_or(4));
  const CompactWriter chunk = CompactWriter().number(2, 0).record(3, metadata);
  const CompactWriter group =
      CompactWriter().list(1, {chunk}).number(3, group_rows.value_or(count));
  const CompactWriter element =
      schema_element.value_or(CompactWriter().number(1, type).number(3, 0).text(4, "x"));
  const CompactWriter no_pages =
      CompactWriter().number(1, type).number(5, 0).number(7, -1).number(9, std::int64_t{1} << 60);
  std::vector<CompactWriter> groups{group};
  if (empty_group_first)
    groups.insert(groups.begin(),
                  CompactWriter().list(1, {CompactWriter().record(3, no_pages)}).number(3, 0));
  return parquet_file(
      pages,
      CompactWriter().list(2, schema_of(element)).number(3, rows.value_or(count)).list(4, groups));
}

std::string corpus_bytes(const std::string& name) {
  const std::string data = data_folder();
  return read_bytes(data.substr(0, data.rfind('/')) + "/fuzz/corpus/parquet/" + name);
}

std::vector<double> values_made(const std::string& name) {
  return values_of(read_array(data_folder() + "/parquet/" + name + ".npy", true));
}

void expect_same_values(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_TRUE(found[k] == expected[k] || (std::isnan(found[k]) && std::isnan(expected[k])))
        << "value " << k << ": " << found[k] << " and not " << expected[k];
}

}  // namespace polyak::testing
