#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "method/record.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

constexpr std::size_t max_methods = 64;  // so that method_table() keeps its place

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

// The one table of methods, in the order of help and reports: a new method is a file and a
// line here.
constexpr const MethodRecord& (*records[])() = {
    gradient_descent_record,
    heavy_ball_record,
    nesterov_record,
    sgd_record,
    kaczmarz_record,
    minibatch_sgd_record,
    minibatch_heavy_ball_record,
    minibatch_nesterov_record,
    accelerated_kaczmarz_record,
    cgls_record,
    lsqr_record,
    one_read_cg_record,
    direct_record,
    normal_record,
    sketched_heavy_ball_record,
    active_set_record,
    bounded_cg_record,
};

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

}  // namespace polyak
