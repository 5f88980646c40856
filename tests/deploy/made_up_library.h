#pragma once
/// \file Libraries whose kernels a test writes in C: NAME_kernel0, serial, for any processor.

#include "core/deploy/library.h"

namespace nestwright::deploy_test {

inline Library madeUpLibrary(const char* name, bool isNetwork) {
  Library library;
  library.deployment.options.name = name;
  library.deployment.options.threading = Threading::Serial;
  library.deployment.isNetwork = isNetwork;
  library.kernels.push_back({std::string(name) + "_kernel0", {}});
  library.workspaceBytes = 128;
  return library;
}

/// mm: c[14] from a[2,3] and b[3,2], which the kernel reads by columns of four rows.
inline Library madeUpOperator() {
  Library library = madeUpLibrary("mm", false);
  LibraryTensor b{"b", "b", {3, 2}, kFloat32, 1};
  b.layout = PackedLayout{{3, 2}, {"k", "n"}, {{1, 2, 1}, {0, 4, 1}}};
  validate(*b.layout);
  library.inputs = {{"a", "a", {2, 3}, kFloat32, 0}, b};
  library.outputs = {{"c", "c", {14}, kFloat32, 2}};
  return library;
}

/// net: y[16] from x[4,4].
inline Library madeUpNetwork() {
  Library library = madeUpLibrary("net", true);
  library.inputs = {{"x", "x", {4, 4}, kFloat32, 0}};
  library.outputs = {{"y", "y", {16}, kFloat32, 1}};
  library.plan.buffers = {{PlannedBuffer::Place::Input, 0, 64},
                          {PlannedBuffer::Place::Arena, 1, 64}};
  library.plan.steps = {{0, 0, {0, 1}}};
  library.plan.inputs = {0};
  library.plan.outputs = {1};
  library.plan.arenaBytes = 64;
  return library;
}

} // namespace nestwright::deploy_test
