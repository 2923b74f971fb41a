#include "io/parquet/schema.hpp"

#include <array>

namespace polyak::io::parquet {
namespace {

constexpr std::int32_t required = 0, optional = 1, repeated = 2;

void read_decimal(ThriftReader& thrift, SchemaElement& out) {
  thrift.record([&](ThriftField field) {
    if (field.id != 1) return false;
    out.scale = thrift.int32(field);
    return true;
  });
}

void read_integer(ThriftReader& thrift, SchemaElement& out) {
  thrift.record([&](ThriftField field) {
    if (field.id != 2) return false;
    out.is_signed = thrift.boolean(field);
    return true;
  });
}

// A union: the number of its only field is the type.
void read_logical(ThriftReader& thrift, SchemaElement& out) {
  thrift.record([&](ThriftField field) {
    thrift.expect(field, ThriftType::record);
    out.logical = static_cast<Logical>(field.id);
    if (out.logical == Logical::decimal) return read_decimal(thrift, out), true;
    if (out.logical == Logical::integer) return read_integer(thrift, out), true;
    return false;
  });
}

// The logical type of older files, by their number.
Logical from_converted(std::int32_t converted, bool& is_signed) {
  constexpr std::array types{
      Logical::string,      Logical::map,       Logical::map,       Logical::list,
      Logical::enumeration, Logical::decimal,   Logical::date,      Logical::time,
      Logical::time,        Logical::timestamp, Logical::timestamp, Logical::integer,
      Logical::integer,     Logical::integer,   Logical::integer,   Logical::integer,
      Logical::integer,     Logical::integer,   Logical::integer,   Logical::json,
      Logical::bson,        Logical::timestamp};
  constexpr std::int32_t first_unsigned = 11, last_unsigned = 14;
  if (converted < 0 || converted >= std::ssize(types)) return Logical::none;
  is_signed = converted < first_unsigned || converted > last_unsigned;
  return types[static_cast<std::size_t>(converted)];
}

bool is_time(Logical type) {
  return type == Logical::date || type == Logical::time || type == Logical::timestamp;
}

// What a column of bytes holds.
const char* bytes_text(Logical logical) {
  switch (logical) {
    case Logical::string:
    case Logical::enumeration: return "text";
    case Logical::json: return "JSON";
    case Logical::uuid: return "UUIDs";
    case Logical::decimal: return "decimal numbers of more than 16 bytes or of varying length";
    case Logical::timestamp: return "intervals of time";
    default: return "bytes";
  }
}

// Int32 and int64.
void integer_column(const SchemaElement& element, Logical logical, bool is_signed, Column& out) {
  const bool wide = out.physical == Physical::int64;
  out.width = wide ? 8 : 4;
  if (logical == Logical::decimal) {
    out.number = wide ? Number::decimal64 : Number::decimal32;
    out.scale = element.scale;
  } else if (logical == Logical::none || logical == Logical::integer ||
             logical == Logical::unknown) {
    const bool natural = logical != Logical::integer || is_signed;
    out.number = wide ? (natural ? Number::int64 : Number::uint64)
                      : (natural ? Number::int32 : Number::uint32);
  } else {
    out.is_time = is_time(logical);
    out.refused = out.is_time ? "dates or times" : "values of a type that is not known here";
  }
}

void fixed_column(const SchemaElement& element, Logical logical, Column& out) {
  constexpr int widest = 16;
  out.width = element.length;
  if (logical == Logical::float16 && out.width == 2) {
    out.number = Number::float16;
  } else if (logical == Logical::decimal && out.width >= 1 && out.width <= widest) {
    out.number = Number::decimal_bytes;
    out.scale = element.scale;
  } else {
    out.refused = bytes_text(logical);
  }
}

void set_type(const SchemaElement& element, const Place& place, Column& out) {
  constexpr std::int32_t types = 8;
  if (element.physical >= types)
    place.refuse("there is no such type", std::to_string(element.physical));
  out.physical = static_cast<Physical>(element.physical);
  bool is_signed = element.is_signed;
  Logical logical = element.logical;
  if (logical == Logical::none) logical = from_converted(element.converted, is_signed);
  switch (out.physical) {
    case Physical::boolean: out.number = Number::boolean, out.width = 0; break;
    case Physical::float32: out.number = Number::float32, out.width = 4; break;
    case Physical::float64: out.number = Number::float64, out.width = 8; break;
    case Physical::int32:
    case Physical::int64: integer_column(element, logical, is_signed, out); break;
    case Physical::fixed_bytes: fixed_column(element, logical, out); break;
    case Physical::bytes: out.refused = bytes_text(logical); break;
    case Physical::int96: out.refused = "dates or times", out.is_time = true; break;
  }
}

// Decimals have at most 38 digits.
void check_scale(const Column& column, const Place& place) {
  constexpr int largest = 38;
  if (column.scale < 0 || column.scale > largest)
    place.refuse("the scale of the decimal numbers is not possible", std::to_string(column.scale),
                 "0 to " + std::to_string(largest));
}

Column column_of(const SchemaElement& element, std::size_t leaf, const Place& footer) {
  Column out{.name = printable(std::string(element.name)), .leaf = leaf};
  const Place place{footer.file, footer.byte, out.name};
  if (element.repetition < required || element.repetition > repeated)
    place.refuse("the schema does not say whether values may be missing");
  out.optional = element.repetition == optional;
  if (element.physical < 0 || element.children > 0 || element.repetition == repeated) {
    out.refused = "lists or structures";
    return out;
  }
  set_type(element, place, out);
  check_scale(out, place);
  return out;
}

}  // namespace

SchemaElement read_schema_element(ThriftReader& thrift) {
  SchemaElement out;
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1: out.physical = thrift.int32(field); return true;
      case 2: out.length = thrift.int32(field); return true;
      case 3: out.repetition = thrift.int32(field); return true;
      case 4: out.name = thrift.text(field), out.named = true; return true;
      case 5: out.children = thrift.int32(field); return true;
      case 6: out.converted = thrift.int32(field); return true;
      case 7: out.scale = thrift.int32(field); return true;
      case 10:
        thrift.expect(field, ThriftType::record);
        read_logical(thrift, out);
        return true;
      default: return false;
    }
  });
  if (!out.named || out.children < 0) thrift.place().refuse("the schema is damaged");
  return out;
}

// `missing` is the number of elements that still belong to the columns so far.
Schema columns_of(const std::vector<SchemaElement>& elements, const Place& footer) {
  Schema out;
  if (elements.empty()) footer.refuse("the footer has no schema");
  Index top = elements.front().children, missing = 0;
  for (std::size_t k = 1; k < elements.size(); ++k) {
    const SchemaElement& element = elements[k];
    if (missing > 0)
      --missing;
    else if (top-- > 0)
      out.columns.push_back(column_of(element, out.leaves, footer));
    else
      footer.refuse("the schema is damaged: it has more columns than it says");
    missing += element.children;
    if (element.physical >= 0 && element.children == 0) ++out.leaves;
  }
  if (top != 0 || missing != 0)
    footer.refuse("the schema is damaged: it has fewer columns than it says");
  if (out.columns.empty()) footer.refuse("the table has no columns");
  return out;
}

}  // namespace polyak::io::parquet
