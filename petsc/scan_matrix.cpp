// Mat type "polyakscan": the matrix of a tomographic scan, whose rows are computed when they
// are needed. The options are those of `polyak tomography`.

#include <petsc/private/petscimpl.h>

#include <algorithm>
#include <numbers>

#include "petsc_matrices.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"
#include "polyak/ranks.hpp"
#include "polyak/tomography.hpp"
#include "polyak_petsc.h"

namespace polyak::petsc {
namespace {

struct ScanOptions {
  char beam[16] = "parallel", angles[128] = "0:180:180", size[64] = "", model[16] = "line";
  PetscInt detectors = 0;
  PetscReal spacing = 1.0, offset = 0.0, pixel = 1.0, source = 0.0, detector = 0.0;
};

PetscErrorCode read_options(Mat A, ScanOptions& o) {
  const ScanOptions defaults;
  PetscObjectOptionsBegin(reinterpret_cast<PetscObject>(A));
  PetscCall(PetscOptionsString("-mat_polyak_beam",
                               "parallel, or fan: from a point to a flat detector", MATPOLYAKSCAN,
                               defaults.beam, o.beam, sizeof o.beam, nullptr));
  PetscCall(PetscOptionsString("-mat_polyak_angles", "FIRST:LAST:COUNT in degrees, without LAST",
                               MATPOLYAKSCAN, defaults.angles, o.angles, sizeof o.angles, nullptr));
  PetscCall(PetscOptionsInt("-mat_polyak_detectors", "Elements of the detector", MATPOLYAKSCAN,
                            o.detectors, &o.detectors, nullptr));
  PetscCall(PetscOptionsReal("-mat_polyak_spacing", "From one element to the next", MATPOLYAKSCAN,
                             o.spacing, &o.spacing, nullptr));
  PetscCall(PetscOptionsReal("-mat_polyak_offset", "Added to every element's position",
                             MATPOLYAKSCAN, o.offset, &o.offset, nullptr));
  PetscCall(PetscOptionsString("-mat_polyak_size",
                               "Pixels of the image: N or ROWSxCOLS; as many "
                               "as elements unless given",
                               MATPOLYAKSCAN, defaults.size, o.size, sizeof o.size, nullptr));
  PetscCall(PetscOptionsReal("-mat_polyak_pixel", "The side of a pixel", MATPOLYAKSCAN, o.pixel,
                             &o.pixel, nullptr));
  PetscCall(PetscOptionsReal("-mat_polyak_source_distance", "Fan: from the source to the axis",
                             MATPOLYAKSCAN, o.source, &o.source, nullptr));
  PetscCall(PetscOptionsReal("-mat_polyak_detector_distance", "Fan: from the axis to the detector",
                             MATPOLYAKSCAN, o.detector, &o.detector, nullptr));
  PetscCall(PetscOptionsString("-mat_polyak_projector",
                               "What a ray sees of a pixel: line, linear or strip", MATPOLYAKSCAN,
                               defaults.model, o.model, sizeof o.model, nullptr));
  PetscOptionsEnd();
  return 0;
}

[[noreturn]] void refuse(const std::string& option, const std::string& found,
                         const std::string& expected) {
  throw Error(ErrorCode::usage, {.what = "the value does not fit the option",
                                 .where = option,
                                 .found = "'" + found + "'",
                                 .expected = expected});
}

// Reads numbers separated by `mark`; false unless the text has exactly as many.
template <class... Numbers>
bool parse(std::string_view text, char mark, Numbers&... numbers) {
  std::size_t left = sizeof...(Numbers);
  const auto next = [&](auto& number) {
    const std::size_t end = --left > 0 ? text.find(mark) : text.size();
    if (end == text.npos || !detail::parse_into(text.substr(0, end), number)) return false;
    text.remove_prefix(std::min(text.size(), end + 1));
    return true;
  };
  return (next(numbers) && ...);
}

std::vector<double> angles_of(const std::string& text) {
  double first = 0.0, last = 0.0;
  Index count = 0;
  constexpr Index max_angles = 10'000'000;
  if (!parse(text, ':', first, last, count) || count < 1 || count > max_angles)
    refuse("-mat_polyak_angles", text, "FIRST:LAST:COUNT");
  std::vector<double> out;
  for (Index k = 0; k < count; ++k)
    out.push_back(std::numbers::pi / 180.0 *
                  (first + (last - first) * static_cast<double>(k) / static_cast<double>(count)));
  return out;
}

tomography::ImageGrid image_of(const ScanOptions& o) {
  tomography::ImageGrid image{o.detectors, o.detectors, o.pixel};
  if (o.size[0] == '\0' || parse(o.size, 'x', image.rows, image.cols)) return image;
  if (!parse(o.size, 'x', image.rows)) refuse("-mat_polyak_size", o.size, "N or ROWSxCOLS");
  image.cols = image.rows;
  return image;
}

tomography::Geometry geometry_of(const ScanOptions& o) {
  const std::string beam = o.beam;
  if (beam != "parallel" && beam != "fan") refuse("-mat_polyak_beam", beam, "parallel or fan");
  tomography::Geometry g;
  g.beam = beam == "fan" ? tomography::Beam::fan : tomography::Beam::parallel;
  g.angles = angles_of(o.angles);
  g.detectors = o.detectors;
  g.spacing = o.spacing;
  g.offsets = {o.offset};
  g.source_distance = o.source;
  g.detector_distance = o.detector;
  g.image = image_of(o);
  tomography::check(g);
  return g;
}

// Whole views are distributed, so that the rows of a process are a scan again.
MatrixPtr own_views(tomography::Geometry g, tomography::RayModel model, MPI_Comm comm) {
  PetscMPIInt rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const RowRange views = even_share(g.views(), rank, ranks);
  if (views.first == views.last) return csr_matrix(Csr<double, Index>{{0}, {}, {}, g.image.size()});
  g.angles = {g.angles.begin() + views.first, g.angles.begin() + views.last};
  return tomography::projector(g, model, {}, 1);
}

}  // namespace

PetscErrorCode create_scan_matrix(Mat A) {
  ScanOptions options;
  PetscCall(read_options(A, options));
  return guarded(A, [&] {
    const auto model = tomography::ray_model_named(options.model);
    const tomography::Geometry g = geometry_of(options);
    const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
    become_row_shell(A, own_views(g, model, comm), g.rays());
    checked(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(A), MATPOLYAKSCAN));
  });
}

}  // namespace polyak::petsc
