#pragma once

// The schema: a tree, stored depth first. Its root is the table, the children of the root are the
// columns.

#include <string_view>
#include <vector>

#include "io/parquet/footer.hpp"
#include "io/parquet/thrift.hpp"

namespace polyak::io::parquet {

/// The numbers of LogicalType in the format, as far as they are used here.
enum class Logical {
  none = 0,
  string = 1,
  map = 2,
  list = 3,
  enumeration = 4,
  decimal = 5,
  date = 6,
  time = 7,
  timestamp = 8,
  integer = 10,
  unknown = 11,
  json = 12,
  bson = 13,
  uuid = 14,
  float16 = 15
};

struct SchemaElement {
  std::string_view name;
  bool named = false;
  std::int32_t physical = -1;    ///< absent in a group
  std::int32_t length = 0;       ///< of values of fixed length
  std::int32_t repetition = -1;  ///< required, optional, repeated
  Index children = 0;
  std::int32_t converted = -1;  ///< the logical type as older files state it
  std::int32_t scale = 0;
  Logical logical = Logical::none;
  bool is_signed = true;  ///< of Logical::integer
};

SchemaElement read_schema_element(ThriftReader& thrift);

/// The columns of the table, and the number of chunks in a row group.
struct Schema {
  std::vector<Column> columns;
  std::size_t leaves = 0;
};
Schema columns_of(const std::vector<SchemaElement>& elements, const Place& footer);

}  // namespace polyak::io::parquet
