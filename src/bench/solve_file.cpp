#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/solve_contest.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

// End to end: from files to a file, each in its own process, with the files in the page
// cache. The start of Python and the import of NumPy are reported separately; polyak, its
// start included, is compared with the rest.

namespace polyak::bench {
namespace {

constexpr const char *ours = "polyak solve, process", *theirs = "NumPy, load to save",
                     *whole = "NumPy, process", *imports = "NumPy, import alone";

// As from a shell, so that the choice of BLAS kernels at the start is measured too.
std::vector<std::string> plain_environment() {
  std::vector<std::string> out = peer_environment(1);
  std::erase_if(out, [](const std::string& entry) { return entry.starts_with("OPENBLAS_"); });
  return out;
}

[[noreturn]] void refuse(const std::string& found) {
  throw Error(ErrorCode::io, {.what = "the peers' script gave no time",
                              .where = "file",
                              .found = "'" + found.substr(0, found.find('\n')) + "'",
                              .expected = "the seconds of two parts",
                              .hint = "run without --peers"});
}

class FileContest {
 public:
  FileContest(Session& session, const SolveCase& what, const Problem& problem,
              const Exchange& exchange)
      : session_(session),
        exchange_(exchange),
        judge_(problem, session.team()),
        race_("solve", what.name + ", from files") {
    race_.add({ours, 0.0, [this](Index) { return run_polyak(); }});
    run_polyak();
    read_report();
    if (session.peer() == nullptr) return;
    race_.add({whole, 0.0, [this](Index) { return run_numpy(); }});
    race_.add({theirs, 0.0, [this](Index) { return load_to_save_s_; }});
    race_.add({imports, 0.0, [this](Index) { return import_s_; }});
    run_numpy();
  }

  FromFile run() {
    session_.run_single_calls(race_, 1.0 / 40.0, 5);
    FromFile out = reported_;
    out.seconds = race_.table().lines[0].seconds.median;
    race_.faster(ours, theirs, theirs);
    race_.faster(ours, whole, whole);
    const Table table = race_.table();
    if (session_.peer() != nullptr) out.faster = table.lines[0].figures[0].value;
    race_.add_number(ours, "touched", 100.0 * out.rows_share, "% of rows");
    race_.add_number(ours, "bytes_read", out.bytes_read);
    if (out.pages_read) race_.add_number(ours, "pages_read", *out.pages_read);
    race_.add_number(ours, "error", out.error);
    if (session_.peer() != nullptr) race_.add_number(theirs, "error", error_of("x_numpy.npy"));
    session_.keep(race_);
    return out;
  }

 private:
  int threads() const { return session_.team().size(); }

  double error_of(const char* name) const {
    return judge_.error(read_array(exchange_.file(name), true).view());
  }

  double run_polyak() {
    return run_child({*session_.options().program, "solve", exchange_.file("A.npy"),
                      exchange_.file("b.npy"), "--certify", "sampled", "--tol", "1e-8", "--threads",
                      std::to_string(threads()), "--seed", std::to_string(session_.options().seed),
                      "--output", exchange_.file("x_polyak.npy"), "--report",
                      exchange_.file("report.json"), "--quiet"},
                     plain_environment(), exchange_.file("polyak.txt"))
        .seconds;
  }

  // The same in every run, because the seed is.
  void read_report() {
    std::ifstream file(exchange_.file("report.json"));
    const auto report = nlohmann::json::parse(file);
    const double touched =
        report.at("row_products").get<double>() + report.at("measured_row_products").get<double>();
    reported_.rows_share = touched / report.at("rows").get<double>();
    reported_.bytes_read = report.at("bytes_read").get<double>();
    if (report.contains("pages_read")) reported_.pages_read = report["pages_read"].get<double>();
    reported_.error = error_of("x_polyak.npy");
    race_.note(fmt::format("polyak took {}: {}", report.at("method").get<std::string>(),
                           report.at("reason").get<std::string>()));
  }

  // The script prints the seconds of its imports and of the rest.
  double run_numpy() {
    const Child child =
        run_child({peer_python(), *session_.options().peers, "file", exchange_.path()},
                  peer_environment(threads()), exchange_.file("numpy.txt"));
    char* rest = nullptr;
    import_s_ = std::strtod(child.output.c_str(), &rest);
    load_to_save_s_ = std::strtod(rest, nullptr);
    if (!(import_s_ > 0.0 && load_to_save_s_ > 0.0)) refuse(child.output);
    return child.seconds;
  }

  Session& session_;
  const Exchange& exchange_;
  Judge judge_;
  Race race_;
  FromFile reported_;
  double import_s_ = 0.0, load_to_save_s_ = 0.0;
};

}  // namespace

FromFile file_contest(Session& session, const SolveCase& what, const Problem& problem,
                      const Exchange& exchange) {
  return FileContest(session, what, problem, exchange).run();
}

}  // namespace polyak::bench
