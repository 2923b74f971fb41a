#include "tomography.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "generate.hpp"
#include "inputs.hpp"
#include "polyak/error.hpp"
#include "polyak/tomography_phantom.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "signals.hpp"

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

// Looks for Ctrl-C now and then.
class SignalObserver final : public Observer {
 public:
  bool stop_requested() override { return look_.raised(); }
  void rethrow() const { look_.rethrow(); }

 private:
  SignalLook look_;
};

// Options by the names of their fields; one that is not given keeps its default.
class Fields {
 public:
  explicit Fields(const nb::dict& values) : values_(values) {}
  template <class Value>
  void set(const char* name, Value& field) {
    if (!values_.contains(name)) return;
    ++known_;
    if (!nb::object(values_[name]).is_none()) assign(values_[name], field);
  }
  bool all_known() const { return known_ == values_.size(); }

 private:
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
  std::size_t known_ = 0;
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
  if (!fields.all_known()) throw nb::type_error("reconstruct() got an unexpected keyword argument");
  return o;
}

nb::object reconstruct_python(const nb::dict& geometry, const Numbers& sinograms,
                              const nb::dict& options) {
  const Geometry scan = geometry_of(geometry);
  const ReconstructOptions chosen = options_of(options);
  const std::vector<double> data = vector_of(sinograms);
  SignalObserver observer;
  std::optional<Reconstruction> made;
  {
    const GilReleased released;
    made = reconstruct(scan, data, chosen, &observer);
  }
  observer.rethrow();
  const auto rows = to_size(scan.image.rows), cols = to_size(scan.image.cols);
  const std::size_t slices = made->images.size() / std::max<std::size_t>(1, rows * cols);
  nb::dict more;
  const auto put = [&](const char* name, const std::optional<double>& value) {
    more[name] = value ? nb::cast(*value) : nb::object(nb::none());
  };
  put("lambda_max", made->lambda_max);
  put("kappa_covered", made->kappa_covered);
  put("b_star", made->b_star);
  put("smoothing", made->smoothing);
  put("noise", made->noise);
  more["held_out"] = made->held_out;
  more["kept_positive"] = made->kept_positive;
  return nb::make_tuple(new_array(made->images.data(), {slices, rows, cols}), to_json(made->report),
                        more);
}

}  // namespace

void define_tomography(nb::module_& parent) {
  nb::module_ module = parent.def_submodule("tomography");
  module.def("projector", [](const nb::dict& geometry, const std::string& model, int threads) {
    return Input{projector(geometry_of(geometry), ray_model_named(model), {}, threads)};
  });
  module.def("matrix", [](const nb::dict& geometry, const std::string& model, int threads) {
    return stored_arrays(system_matrix(geometry_of(geometry), ray_model_named(model), threads));
  });
  module.def("reconstruct", &reconstruct_python);
  module.def("filtered_back_projection",
             [](const nb::dict& geometry, const Numbers& sinograms, const std::string& filter) {
               const Geometry scan = geometry_of(geometry);
               const auto images = filtered_back_projection(scan, vector_of(sinograms), filter);
               const auto rows = to_size(scan.image.rows), cols = to_size(scan.image.cols);
               return new_array(images.data(), {images.size() / (rows * cols), rows, cols});
             });
}

}  // namespace polyak::python
