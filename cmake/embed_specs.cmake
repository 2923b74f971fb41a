# Turns spec files into a source file that holds their text:
#   cmake -DOUTPUT=carried_specs.cpp -DSPECS=a.toml,b.toml -P embed_specs.cmake
string(REPLACE "," ";" specs "${SPECS}")
set(text "#include \"experiments/spec.hpp\"\n\nnamespace polyak::experiments::internal {\n\n")
string(APPEND text "const std::vector<CarriedSpec>& carried_specs() {\n")
string(APPEND text "  static const std::vector<CarriedSpec> table = {\n")
foreach(spec IN LISTS specs)
  get_filename_component(name ${spec} NAME_WE)
  file(READ ${spec} body)
  string(APPEND text "      {\"${name}\", R\"spec(${body})spec\"},\n")
endforeach()
string(APPEND text "  };\n  return table;\n}\n\n}  // namespace polyak::experiments::internal\n")
file(WRITE ${OUTPUT} "${text}")
