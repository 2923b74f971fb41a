#include "tomography.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <typeinfo>

#include "beside.hpp"
#include "errors.hpp"
#include "generate.hpp"
#include "inputs.hpp"
#include "polyak/error.hpp"
#include "polyak/tomography_phantom.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "result.hpp"

namespace polyak::python {
namespace {

using namespace tomography;

// Arguments of a geometry; angles in radians.
Geometry geometry_of(const nb::dict& values) {
  Geometry out;
  const std::string beam = nb::cast<std::string>(values["beam"]);
  if (beam != "parallel" && beam != "fan")
    throw Error(ErrorCode::usage, {.what = "there is no such beam",
                                   .where = "beam",
                                   .found = "'" + beam + "'",
                                   .expected = "parallel or fan"});
  out.beam = beam == "fan" ? Beam::fan : Beam::parallel;
  out.angles = vector_of(nb::cast<Numbers>(values["angles"]));
  out.detectors = nb::cast<Index>(values["detectors"]);
  out.spacing = nb::cast<double>(values["spacing"]);
  out.offsets = vector_of(nb::cast<Numbers>(values["offsets"]));
  out.source_distance = nb::cast<double>(values["source_distance"]);
  out.detector_distance = nb::cast<double>(values["detector_distance"]);
  out.image = {nb::cast<Index>(values["rows"]), nb::cast<Index>(values["cols"]),
               nb::cast<double>(values["pixel"])};
  check(out);
  return out;
}

// Ends a reconstruction when Ctrl-C has been seen.
class StopObserver final : public Observer {
 public:
  explicit StopObserver(const std::atomic<bool>& stop) : stop_(stop) {}
  bool stop_requested() override { return stop_; }

 private:
  const std::atomic<bool>& stop_;
};

// Options by the names of their fields; one that is not given keeps its default.
class Fields {
 public:
  explicit Fields(const nb::dict& values) : values_(values) {}
  template <class Value>
  void set(const char* name, Value& field) {
    known_.emplace_back(name);
    if (!values_.contains(name) || nb::object(values_[name]).is_none()) return;
    try {
      assign(values_[name], field);
    } catch (const std::bad_cast&) {
      refuse(name);
    }
  }
  /// Names that were not set are no options.
  void check_all_known() const {
    for (const auto& [key, value] : values_) {
      const auto name = nb::cast<std::string>(key);
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        throw nb::type_error(
            ("reconstruct() got an unexpected keyword argument '" + name + "'").c_str());
    }
  }

 private:
  void refuse(const char* name) const {
    const std::string value = nb::cast<std::string>(nb::repr(values_[name]));
    throw Error(ErrorCode::usage, {.what = "the value has another type than the option",
                                   .where = name,
                                   .found = value.substr(0, 100)});
  }
  template <class Value>
  static void assign(const nb::object& from, Value& field) {
    field = nb::cast<Value>(from);
  }
  template <class Value>
  static void assign(const nb::object& from, std::optional<Value>& field) {
    field = nb::cast<Value>(from);
  }
  static void assign(const nb::object& from, std::vector<double>& field) {
    field = vector_of(nb::cast<Numbers>(from));
  }

  const nb::dict& values_;
  std::vector<std::string> known_;
};

ReconstructOptions options_of(const nb::dict& values) {
  ReconstructOptions o;
  Fields fields(values);
  fields.set("method", o.method);
  fields.set("projector", o.projector);
  fields.set("stored", o.stored);
  fields.set("batch", o.batch);
  fields.set("step_size", o.step_size);
  fields.set("momentum", o.momentum);
  fields.set("b_star", o.b_star);
  fields.set("coverage", o.coverage);
  fields.set("sampling", o.sampling);
  fields.set("relaxation", o.relaxation);
  fields.set("filter", o.filter);
  fields.set("start", o.start);
  fields.set("smoothing", o.smoothing);
  fields.set("ridge", o.ridge);
  fields.set("lower", o.lower);
  fields.set("upper", o.upper);
  fields.set("weights", o.weights);
  fields.set("noise", o.noise);
  fields.set("tau", o.tau);
  fields.set("plateau", o.plateau);
  fields.set("max_passes", o.max_passes);
  fields.set("max_iterations", o.max_iterations);
  fields.set("time_limit", o.time_limit_s);
  fields.set("seed", o.seed);
  fields.set("threads", o.threads);
  fields.check_all_known();
  return o;
}

nb::dict numbers_of(const Reconstruction& made) {
  nb::dict out;
  const auto put = [&](const char* name, const std::optional<double>& value) {
    out[name] = value ? nb::cast(*value) : nb::object(nb::none());
  };
  put("lambda_max", made.lambda_max);
  put("kappa_covered", made.kappa_covered);
  put("b_star", made.b_star);
  put("smoothing", made.smoothing);
  put("noise", made.noise);
  out["held_out"] = made.held_out;
  out["kept_positive"] = made.kept_positive;
  return out;
}

// slices × rows × cols
nb::object images_of(const std::vector<double>& images, const ImageGrid& grid) {
  const auto rows = to_size(grid.rows), cols = to_size(grid.cols);
  return new_array(images.data(),
                   {images.size() / std::max<std::size_t>(1, rows * cols), rows, cols});
}

nb::object found(const Geometry& scan, Reconstruction made) {
  const nb::object images = images_of(made.images, scan.image);
  const nb::dict numbers = numbers_of(made);
  const Result result{std::make_shared<const Report>(std::move(made.report))};
  return nb::make_tuple(images, nb::cast(result), numbers);
}

nb::object reconstruct_python(const nb::dict& geometry, const Numbers& sinograms,
                              const nb::dict& options) {
  const Geometry scan = geometry_of(geometry);
  return found(scan, beside(
                         [scan, chosen = options_of(options),
                          data = vector_of(sinograms)](const std::atomic<bool>& stop) {
                           StopObserver observer(stop);
                           return reconstruct(scan, data, chosen, &observer);
                         },
                         [&](nb::python_error& error, Reconstruction made) {
                           attach(error, found(scan, std::move(made)));
                         }));
}

nb::object back_projection(const nb::dict& geometry, const Numbers& sinograms,
                           const std::string& filter) {
  const Geometry scan = geometry_of(geometry);
  const auto images = beside([scan, filter, data = vector_of(sinograms)](const std::atomic<bool>&) {
    return filtered_back_projection(scan, data, filter);
  });
  return images_of(images, scan.image);
}

std::optional<Phantom> phantom_named(const std::string& name, std::uint64_t seed) {
  if (name == "shepp-logan") return shepp_logan();
  if (name == "disc") return disc();
  if (name == "rectangle") return rectangle();
  if (name == "shapes") return random_shapes(seed);
  return std::nullopt;
}

nb::object phantom(const std::string& name, Index rows, Index cols, std::uint64_t seed) {
  const std::optional<Phantom> shapes = phantom_named(name, seed);
  if (!shapes && name != "walnut")
    throw Error(ErrorCode::usage, {.what = "there is no such phantom",
                                   .where = "name",
                                   .found = "'" + name + "'",
                                   .expected = "shepp-logan, disc, rectangle, shapes or walnut"});
  const ImageGrid grid{rows, cols, 1.0};
  const auto image = beside([shapes, grid, seed](const std::atomic<bool>&) {
    return shapes ? draw(*shapes, grid) : draw_walnut(grid, seed);
  });
  return new_array(image.data(), {to_size(rows), to_size(cols)});
}

}  // namespace

void define_tomography(nb::module_& parent) {
  nb::module_ module = parent.def_submodule("tomography");
  module.def("projector", [](const nb::dict& geometry, const std::string& model, int threads) {
    return Input{projector(geometry_of(geometry), ray_model_named(model), {}, threads)};
  });
  module.def("matrix", [](const nb::dict& geometry, const std::string& model, int threads) {
    return stored_arrays(
        beside([scan = geometry_of(geometry), rays = ray_model_named(model),
                threads](const std::atomic<bool>&) { return system_matrix(scan, rays, threads); }));
  });
  module.def("reconstruct", &reconstruct_python);
  module.def("filtered_back_projection", &back_projection);
  module.def("phantom", &phantom);
}

}  // namespace polyak::python
