#include "method/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "polyak/error.hpp"
#include "sampling/law.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {
namespace {

constexpr std::size_t max_methods = 64;  // reserved: spans of method_table() stay valid

struct Table {
  std::vector<const MethodRecord*> records;
  std::vector<MethodInfo> infos;

  Table() {
    records.reserve(max_methods);
    infos.reserve(max_methods);
  }
  void add(const MethodRecord& record) {
    records.push_back(&record);
    infos.push_back(record.info);
  }
};

#define POLYAK_NAME_RECORD(name) name##_record,
constexpr const MethodRecord& (*records[])() = {POLYAK_METHODS(POLYAK_NAME_RECORD)};
#undef POLYAK_NAME_RECORD

// Implementations by device and method.
struct DeviceMethods {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, MakeMethod> makers;
};

DeviceMethods& device_methods() {
  static DeviceMethods all{
      {},
      {{{"cuda", minibatch_sgd_record().info.name}, make_device_gradient_descent},
       {{"cuda", minibatch_heavy_ball_record().info.name}, make_device_heavy_ball},
       {{"cuda", minibatch_nesterov_record().info.name}, make_device_nesterov}}};
  return all;
}

// Of "cuda:0" first, then of every "cuda".
MakeMethod device_method(const std::string& device, const std::string& name) {
  DeviceMethods& all = device_methods();
  const std::lock_guard lock(all.mutex);
  auto found = all.makers.find({device, name});
  if (found == all.makers.end())
    found = all.makers.find({device.substr(0, device.find(':')), name});
  return found == all.makers.end() ? nullptr : found->second;
}

Table& table() {
  static Table table = [] {
    Table out;
    for (const auto record : records) out.add(record());
    return out;
  }();
  return table;
}

}  // namespace

std::span<const MethodRecord* const> method_records() { return table().records; }
std::span<const MethodInfo> method_table() { return table().infos; }

const MethodRecord* find_record(const std::string& name) {
  for (const MethodRecord* record : table().records)
    if (record->info.name == name) return record;
  return nullptr;
}

const MethodInfo* find_method(const std::string& name) {
  for (const MethodInfo& info : table().infos)
    if (info.name == name) return &info;
  return nullptr;
}

bool uses_row_norms(const MethodRecord* record, const SolveOptions& options) {
  if (!record || !record->info.sampled) return false;
  return !(record->info.traits & trait::sampling) ||
         law_named(options.sampling) != Sampling::uniform;
}

void register_method(const MethodRecord& record) {
  const bool full = table().records.size() == max_methods;
  if (full || find_record(record.info.name))
    throw Error(ErrorCode::usage, {.what = full ? "the table of methods is full"
                                                : "there is a method of that name already",
                                   .found = record.info.name});
  table().add(record);
}

void register_device_method(const std::string& device, const std::string& method, MakeMethod make) {
  DeviceMethods& all = device_methods();
  const std::lock_guard lock(all.mutex);
  all.makers[{device, method}] = make;
}

std::unique_ptr<Method> make_method(const std::string& name, const Setting& setting) {
  if (MakeMethod own = device_method(setting.backend.device(), name))
    if (auto method = own(setting)) return method;
  if (const MethodRecord* record = find_record(name)) return record->make(setting);
  throw Error(ErrorCode::usage, {.what = "there is no method of that name", .found = name});
}

bool SubsetFacts::ill_conditioned() const {
  return unresolved || (full_rank && condition > max_normal_condition);
}

bool CandidateInputs::can_factor() const {
  return std::min(shape.rows, shape.cols) <= most_exact_columns;
}

namespace candidate {

Proposal small_problem() { return rule_out("a small problem is factored at once"); }

std::string too_large_to_factor() {
  return fmt::format("neither rows nor columns are {} or fewer", most_exact_columns);
}

std::string dependent_columns(const CandidateInputs& in) {
  return fmt::format("columns depend on each other: rank {} of {}", in.subset->rank, in.shape.cols);
}

double tol_for_x(const CandidateInputs& in) {
  return tol_for_x(in.tol, in.subset ? in.subset->condition : 1.0);
}

double tol_for_x(double tol, double condition) {
  constexpr double least = 4e-16;
  return std::max(std::min(tol, least), std::min(tol, tol * 100.0 / std::max(1.0, condition)));
}

}  // namespace candidate

}  // namespace polyak
