#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "bench/session.hpp"
#include "bench/solve_cases.hpp"
#include "polyak/io.hpp"
#include "polyak/solve.hpp"

// Whole solves, from arrays in memory to x: auto beside every method that could
// do it and beside the peers, each paying for its own set-up.

namespace polyak::bench {
namespace {

namespace fs = std::filesystem;

// A folder for what the script reads and answers, gone afterwards.
class Exchange {
 public:
  Exchange() : path_(fs::temp_directory_path() / fmt::format("polyak-bench-{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Exchange() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void put(const Problem& problem) const {
    const RowMatrix& A = problem.A();
    const bool dense = A.nonzeros() == A.rows() * A.cols();
    if (dense) write_matrix(file("A.npy"), A);
    else write_npz(file("A.npz"), A);
    write_array(file("b.npy"), problem.b());
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

double error_of(ConstView x, const Problem& problem) {  // x is d × 1
  const ConstView best = problem.reference();
  double away = 0.0, size = 0.0;
  for (Index j = 0; j < best.cols; ++j) {
    away += std::pow(x(j, 0) - best(0, j), 2);
    size += best(0, j) * best(0, j);
  }
  return std::max(1e-17, std::sqrt(away / size));
}

class Contest {
 public:
  Contest(Session& session, const SolveCase& what, const Problem& problem)
      : session_(session), problem_(problem), race_("solve", what.name) {
    add("auto", "auto", "full");
    if (what.consistent) add("auto, certified by samples", "auto", "sampled");
    for (const std::string& method : what.methods) add(method, method, "full");
    if (session.peer() == nullptr) return;
    exchange_.put(problem);
    for (const std::string& name : what.peers)
      race_.add({peer_name(name), 0.0, [this, name](Index) { return ask(name); }});
    peers_ = what.peers;
  }

  void run() {
    session_.run(race_, 1.0 / 15.0, 3);
    for (const auto& [name, error] : errors_) race_.tell(name, "error", error);
    for (const std::string& name : peers_) race_.faster("auto", peer_name(name), name);
    session_.keep(race_);
  }

 private:
  static std::string peer_name(const std::string& name) { return "peer: " + name; }

  void add(const std::string& name, const std::string& method, const std::string& certify) {
    SolveOptions options;
    options.method = method;
    options.certify = certify;
    options.threads = session_.options().threads;
    options.seed = session_.options().seed;
    options.time_limit_s = 30.0;
    race_.add({name, 0.0, [=, this](Index) {
                 const double start = now_s();
                 const Report report = solve(problem_, options);
                 const double seconds = now_s() - start;
                 if (report.status != Status::converged && errors_.count(name) == 0)
                   session_.note(race_.title() + ", " + name + ": " + report.reason);
                 errors_[name] = error_of(report.x.view(), problem_);
                 return seconds;
               }});
  }

  double ask(const std::string& name) {
    const double seconds = session_.peer()->measure("solve_" + name + " " + exchange_.path(), 1);
    errors_[peer_name(name)] = error_of(read_array(exchange_.file("x.npy"), true).view(), problem_);
    return seconds;
  }

  Session& session_;
  const Problem& problem_;
  Race race_;
  Exchange exchange_;
  std::vector<std::string> peers_;
  std::map<std::string, double> errors_;
};

}  // namespace

void measure_solve(Session& session) {
  session.forget_dense();
  const Options& options = session.options();
  for (const SolveCase& what :
       solve_cases(options.rows, options.seed, static_cast<int>(options.threads))) {
    session.tell("making " + what.name);
    const Problem problem = what.make();
    Contest(session, what, problem).run();
  }
}

}  // namespace polyak::bench
