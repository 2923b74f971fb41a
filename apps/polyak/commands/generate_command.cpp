#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/files.hpp"
#include "cli/memory.hpp"
#include "cli/options.hpp"
#include "commands/generate.hpp"
#include "polyak/files.hpp"
#include "polyak/io.hpp"
#include "polyak/version.hpp"
#include "program.hpp"

namespace polyak::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string generate_ending() {
  std::string out = "\nKinds:\n";
  for (const GenerateKind& kind : generate_kinds())
    out += fmt::format("  {:<15} {}\n", kind.name, kind.summary);
  return out + R"(
Examples:
  polyak generate spectrum --decay algebraic --rho 1 --kappa 100 --output demo
  polyak generate sampling --rows 100000 --noise 0.1 --seed 7 --output noisy
  polyak generate varied --seed 12 --output twelve
)";
}

Usage generate_usage() {
  return {.command = "generate",
          .positionals = {"KIND"},
          .required = 1,
          .text = R"(Make a problem with a known solution.

Usage: polyak generate KIND --output DIR [options]

Writes DIR/A.npy (or A.mtx), b.npy, x.npy (b = Ax without noise), with noise also
x_ls.npy (the least squares solution), and problem.json.
)",
          .ending = generate_ending(),
          .words = {"KIND"}};
}

bool has_noise(const GenerateRequest& request) {
  if (request.kind == "varied") return varied_problem(request.seed).relative_noise > 0.0;
  return request.noise > 0.0;
}

std::string description_of(const GenerateRequest& request) {
  if (request.kind == "varied") return "a problem: " + varied_problem(request.seed).text;
  return fmt::format("a {} problem of {} x {}", request.kind, request.rows, request.cols);
}

template <class Value>
Json as_json(const Value& value) {
  return value;
}
template <class Value>
Json as_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json("auto");
}

// The values of the options that the kind uses.
Json parameters(const GenerateRequest& request, const GenerateKind& kind) {
  Json out;
  for (const auto& record : generate_options()) {
    const bool changes_the_problem = record.name != "output" && record.name != "threads";
    if ((record.needs & ~kind.traits) != 0 || !changes_the_problem) continue;
    out[record.name] =
        std::visit([&](auto member) { return as_json(request.*member); }, record.field);
  }
  return out;
}

Json description(const GenerateRequest& request, const GenerateKind& kind,
                 const GeneratedProblem& problem, const std::string& matrix) {
  Json out{{"kind", kind.name}, {"parameters", parameters(request, kind)}};
  if (kind.name == "varied") out["text"] = varied_problem(request.seed).text;
  out["seed"] = request.seed;
  out["rows"] = problem.A->rows();
  out["cols"] = problem.A->cols();
  out["nonzeros"] = problem.A->nonzeros();
  out["residual_norm"] = problem.residual_norm;
  if (!problem.squared_singular_values.empty())
    out["squared_singular_values"] = problem.squared_singular_values;
  out["files"] = {{"A", matrix}, {"b", "b.npy"}, {"x", "x.npy"}};
  if (has_noise(request)) out["files"]["x_least_squares"] = "x_ls.npy";
  out["version"] = version_string;
  return out;
}

// Makes the folder; removes it again if it was made here and stays empty.
class Folder {
 public:
  explicit Folder(const std::string& path) : path_(path) {
    std::error_code error;
    made_ = fs::create_directories(path, error);
    if (error || !fs::is_directory(path))
      throw Error(ErrorCode::io, {.what = "the folder cannot be created",
                                  .where = "--output " + path,
                                  .found = error ? error.message() : "a file of that name",
                                  .expected = "a folder, or a name not in use"});
  }
  ~Folder() {
    std::error_code not_empty;
    if (made_) fs::remove(path_, not_empty);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  fs::path path_;
  bool made_ = false;
};

bool is_sparse(const RowMatrix& A) { return A.kind().starts_with("csr"); }

// Before anything is made: the folder may hold links, or the file of --config.
void check_names(const GenerateRequest& request) {
  const fs::path folder(*request.output);
  std::vector<std::string> names;
  for (const char* name : {"A.npy", "A.mtx", "b.npy", "x.npy", "x_ls.npy", "problem.json"})
    if (has_noise(request) || std::string_view(name) != "x_ls.npy") names.push_back(folder / name);
  check_outputs({}, names);
}

void write_problem(const GenerateRequest& request, const GenerateKind& kind,
                   const GeneratedProblem& problem, const std::string& matrix) {
  const fs::path folder(*request.output);
  OutputSet together;
  write_matrix(folder / matrix, *problem.A);
  write_array(folder / "b.npy", problem.b.view());
  write_array(folder / "x.npy", problem.x_planted.view());
  if (has_noise(request)) write_array(folder / "x_ls.npy", problem.x_least_squares.view());
  write_text(folder / "problem.json", description(request, kind, problem, matrix).dump(2) + "\n");
  together.commit();
}

std::string closing_text(const GenerateRequest& request, const GeneratedProblem& problem,
                         const std::string& matrix) {
  const fs::path folder(*request.output);
  const char* reference = has_noise(request) ? "x_ls.npy" : "x.npy";
  const auto word = [&](const std::string& name) { return shell_word((folder / name).string()); };
  return fmt::format(
      "Wrote {} ({} x {}, {}), b.npy, x.npy{} and problem.json\n"
      "Try: polyak solve {} {} --reference {}\n",
      (folder / matrix).string(), problem.A->rows(), problem.A->cols(), problem.A->kind(),
      has_noise(request) ? ", x_ls.npy" : "", word(matrix), word("b.npy"), word(reference));
}

}  // namespace

int generate_command(const Words& words, Messages& messages) {
  GenerateRequest request;
  MessageOptions message;
  OptionSet options;
  options.add("Problem", generate_options(), request);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, generate_usage());
  if (parsed.help) return print(help_text(generate_usage(), options)), 0;
  messages.configure(message);
  request.kind = parsed.positionals[0];
  const GenerateKind& kind = check_generate(request, options, parsed.given);
  const Folder folder(*request.output);
  check_output("--output", (fs::path(*request.output) / "problem.json").string());
  check_names(request);
  messages.status("generating");
  with_memory_for(description_of(request), [&] {
    const GeneratedProblem problem = kind.make(request);
    const std::string matrix = is_sparse(*problem.A) ? "A.mtx" : "A.npy";
    messages.status("writing");
    write_problem(request, kind, problem, matrix);
    messages.status("");
    if (!messages.quiet() && !messages.json())
      print_summary(closing_text(request, problem, matrix));
  });
  return 0;
}

}  // namespace polyak::cli
