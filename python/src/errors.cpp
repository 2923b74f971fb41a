#include "errors.hpp"

#include "polyak/error.hpp"

namespace polyak::python {
namespace {

const char* class_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "UsageError";
    case ErrorCode::bad_data: return "DataError";
    case ErrorCode::no_input: return "NoFileError";
    case ErrorCode::io: return "FileError";
    case ErrorCode::out_of_memory: return "OutOfMemoryError";
    case ErrorCode::internal: break;
  }
  return "InternalError";
}

void raise(const Error& error) {
  const ErrorParts& parts = error.parts();
  const nb::object type = nb::module_::import_("polyak._errors").attr(class_name(error.code()));
  const nb::object raised =
      type(error.what(), parts.what, parts.where, parts.found, parts.expected, parts.hint);
  PyErr_SetObject(type.ptr(), raised.ptr());
}

}  // namespace

void attach(const nb::python_error& raised, const nb::object& result) {
  try {
    nb::borrow(raised.value()).attr("_polyak_result") = result;
  } catch (nb::python_error&) {  // an exception with fixed attributes: without the result
  }
}

void define_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace polyak::python
