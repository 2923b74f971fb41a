// Uses all installed libraries: 0 when they do what they say.

#include <polyak/error.hpp>
#include <polyak/experiments.hpp>
#include <polyak/io.hpp>
#include <polyak/tomography.hpp>
#include <vector>

namespace {

bool writes_and_reads() {
  const auto A = polyak::dense_matrix(std::vector<double>{1, 2, 3, 4, 5, 6}, 3, 2);
  polyak::write_matrix("everything.npy", *A);
  return polyak::read_table("everything.npy").A->cols() == 2;
}

bool projects() {
  polyak::tomography::Geometry scan;
  scan.angles = {0, 1, 2};
  scan.detectors = 8;
  scan.image = {8, 8, 1.0};
  const auto A = polyak::tomography::projector(scan, polyak::tomography::RayModel::line);
  return A->rows() == 24 && A->cols() == 64;
}

// An error of the file library must be caught by the type that the solver library has.
bool refuses() {
  try {
    static_cast<void>(polyak::read_table("no such file.npy"));
  } catch (const polyak::Error& error) {
    return error.code() == polyak::ErrorCode::no_input;
  }
  return false;
}

}  // namespace

int main() {
  return writes_and_reads() && projects() && refuses() &&
                 !polyak::experiments::figure_names().empty()
             ? 0
             : 1;
}
