// --config FILE.toml: every option of solve may stand there, and anything else.

#include "cli/options.hpp"
#include "fuzz_file.hpp"
#include "solve/request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polyak;
  const fuzz::FileOf file(".toml", data, size);
  fuzz::tolerate([&] {
    cli::SolveRequest request;
    const cli::OptionSet options = cli::solve_option_set(request);
    (void)cli::apply_config(file.path(), options, "solve");
    cli::check_request(request);
  });
  return 0;
}
