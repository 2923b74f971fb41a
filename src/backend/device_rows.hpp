#pragma once

// A problem copied into the memory of a device, whatever its matrix is made of.

#include <memory>

#include "backend/backend.hpp"
#include "backend/device.hpp"

namespace polyak {

/// A, b, row weights and bounds. Dense rows and CSR are copied as they are stored, in double or
/// single, with their columns scaled where the solver scales them; an intercept makes dense
/// rows double. Rows that are made as they are read (a projector) become CSR if they are sparse.
/// Error usage for rows of several ranks and for matrices without rows.
std::shared_ptr<device::Problem> copy_to_device(const device::Library& library, int device,
                                                const BackendProblem& problem);

}  // namespace polyak
