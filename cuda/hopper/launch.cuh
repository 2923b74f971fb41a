#pragma once

// The launch of one shape, and the table of shapes for rows of at most `lanes·per_lane`
// elements; each width is compiled in a file of its own.

#include <algorithm>
#include <string>

#include "cuda/buffer.hpp"
#include "cuda/hopper/kernel.cuh"
#include "cuda/hopper/launch.hpp"
#include "polyak/error.hpp"

namespace polyak::cuda::hopper {

template <class S>
std::string shape_name() {
  return std::to_string(S::lanes) + "x" + std::to_string(S::per_lane) + ", " +
         std::to_string(S::stage_rows) + (S::by_columns ? " rows by columns, " : " rows, ") +
         std::to_string(S::stages) + " stages";
}

template <class S>
cudaLaunchConfig_t config_of(cudaLaunchAttribute (&attributes)[1], cudaStream_t stream) {
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = S::cluster;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(S::cluster);
  config.blockDim = dim3(S::threads);
  config.dynamicSmemBytes = sizeof(Shared<S>);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 1;
  return config;
}

/// Prepares a kernel on first use. Clusters wait for each other, so no more are started than
/// run at the same time.
template <class S, class Kernel>
int resident_clusters(Kernel kernel, const cudaLaunchConfig_t& config, Resident& resident) {
  const void* key = reinterpret_cast<const void*>(kernel);
  if (const auto known = resident.find(key); known != resident.end()) return known->second;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(sizeof(Shared<S>))),
        "shared memory of a kernel");
  if (S::cluster > 8)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cluster size of a kernel");
  int clusters = 1;
  if (S::cluster > 1)
    check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), "count of clusters");
  resident[key] = std::clamp(clusters, 1, max_clusters);
  return resident[key];
}

template <class S, class Source, bool with_residual>
Launched launch_shape(const Task<typename S::Value>& task, int wanted, const How& how) {
  static_assert(sizeof(Shared<S>) <= shared_limit);
  static_assert(2 * S::cluster * S::chunks * max_clusters * S::width <= exchange_words);
  const auto kernel = iterate<S, Source, with_residual>;
  cudaLaunchAttribute attributes[1];
  cudaLaunchConfig_t config = config_of<S>(attributes, how.stream);
  const int resident = resident_clusters<S>(kernel, config, how.resident);
  const int clusters = S::cluster == 1 ? 1 : std::clamp(wanted, 1, resident);
  if (S::by_columns && task.batch > clusters * S::cluster_rows)
    throw Error(ErrorCode::internal,
                {.what = "a batch does not fit one stage",
                 .found = std::to_string(task.batch) + " rows",
                 .expected = "at most " + std::to_string(clusters * S::cluster_rows)});
  config.gridDim = dim3(static_cast<unsigned>(S::cluster * clusters));
  check(cudaLaunchKernelEx(&config, kernel, task), "launch of a persistent kernel");
  return {shape_name<S>(), S::cluster, clusters};
}

/// The shapes of short rows, by batch; the numbers of clusters are measured choices.
template <class Value, int per_lane>
Launched launch_short(const Task<Value>& task, const How& how) {
  constexpr Sums columns = Sums::by_columns;
  using Warp = Shape<Value, 8, per_lane, 1, 4, 4, 1, columns>;
  using Block = Shape<Value, 8, per_lane, 4, 4, 4, 1, columns>;
  using Eight = Shape<Value, 8, per_lane, 4, 4, 4, 8, columns>;
  using Sixteen = Shape<Value, 8, per_lane, 4, 4, 4, 16, columns>;
  using Many = Shape<Value, 8, per_lane, 8, 4, 4, 16>;
  using All = Shape<Value, 8, per_lane, 8, 4, 4, 8>;
  const auto clusters = [&](int usual) { return how.clusters > 0 ? how.clusters : usual; };
  const std::int64_t B = task.batch;
  if (task.gradient) return launch_shape<All, EveryRow, true>(task, clusters(max_clusters), how);
  if (B <= Warp::cluster_rows && how.clusters == 0)
    return launch_shape<Warp, DrawnRows, false>(task, 1, how);
  if (B <= Block::cluster_rows && how.clusters == 0)
    return launch_shape<Block, DrawnRows, false>(task, 1, how);
  if (B <= Eight::cluster_rows)
    return launch_shape<Eight, DrawnRows, false>(task, clusters(1), how);
  if (B <= Sixteen::cluster_rows)
    return launch_shape<Sixteen, DrawnRows, false>(task, clusters(1), how);
  if (B <= 4096) {  // from 1025 on, as many clusters as have one stage each
    const auto one_stage = (B + Many::cluster_rows - 1) / Many::cluster_rows;
    return launch_shape<Many, DrawnRows, false>(
        task, clusters(B <= 1024 ? 1 : static_cast<int>(one_stage)), how);
  }
  return launch_shape<All, DrawnRows, false>(task, clusters(max_clusters), how);
}

/// The shapes of long rows: a warp for each.
template <class Value, int per_lane>
Launched launch_long(const Task<Value>& task, const How& how) {
  using Eight = Shape<Value, 32, per_lane, 4, 2, 2, 8>;
  const auto clusters = [&](int usual) { return how.clusters > 0 ? how.clusters : usual; };
  if (task.gradient) return launch_shape<Eight, EveryRow, true>(task, clusters(max_clusters), how);
  if (task.batch <= 128)
    return launch_shape<Shape<Value, 32, per_lane, 4, 2, 2, 16>, DrawnRows, false>(
        task, clusters(1), how);
  return launch_shape<Eight, DrawnRows, false>(task, clusters(max_clusters), how);
}

}  // namespace polyak::cuda::hopper
