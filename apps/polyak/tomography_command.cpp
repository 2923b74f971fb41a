#include "suggest.hpp"
#include "tomography_commands.hpp"

namespace polyak::cli {
namespace {

const char* const help = R"(From a scan to an image.

Usage: polyak tomography matrix --angles A --detectors N --size N --output A.mtx
       polyak tomography project IMAGE --angles A --detectors N --output sinogram.npy
       polyak tomography reconstruct SINOGRAM --angles A --output image.png

  matrix       write the matrix of a scan: one row per ray, one column per pixel
  project      make the sinogram of an image, or of a built-in phantom
  reconstruct  make an image of a sinogram

polyak tomography WORD --help explains each.

A first try:
  polyak tomography project walnut --finer 4 --size 128 --angles 180 --detectors 182 \
    --photons 1e5 --attenuation 0.02 --output sinogram.npy
  polyak tomography reconstruct sinogram.npy --size 128 --angles 180 --output walnut.png

Limits: two dimensions (a stack of slices shares one geometry), no cone beam.
)";

}  // namespace

int tomography_command(const Words& words, Messages& messages) {
  const std::string first = words.empty() ? "" : words[0];
  if (first == "--help" || first == "-h") return print(help), 0;
  const Words rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (first == "matrix") return tomography_matrix(rest, messages);
  if (first == "project") return tomography_project(rest, messages);
  if (first == "reconstruct") return tomography_reconstruct(rest, messages);
  const std::string near = nearest(first, {"matrix", "project", "reconstruct"});
  throw Error(
      ErrorCode::usage,
      {.what = first.empty() ? "a word is missing" : "there is no such tomography command",
       .where = "tomography",
       .found = first.empty() ? "" : "'" + first + "'",
       .expected = "matrix, project or reconstruct",
       .hint = near.empty() ? "see polyak tomography --help" : "did you mean " + near + "?"});
}

}  // namespace polyak::cli
