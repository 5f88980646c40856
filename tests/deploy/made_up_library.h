#pragma once
/// \file Libraries whose kernels a test writes in C: NAME_kernel0, serial, for any processor.

#include "core/deploy/library.h"

namespace nestwright::deploy_test {

inline Library madeUpLibrary(const char* name, bool isNetwork) {
  Library library;
  library.deployment.options.name = name;
  library.deployment.options.threading = Threading::Serial;
  library.deployment.isNetwork = isNetwork;
  library.deployment.variants.resize(1);
  LibraryVariant& variant = library.variants.emplace_back();
  variant.kernels.push_back({std::string(name) + "_kernel0", {}});
  variant.workspaceBytes = 128;
  return library;
}

/// mm: c[14] from a[2,3] and b[3,2], which the kernel reads by columns of four rows.
inline Library madeUpOperator() {
  Library library = madeUpLibrary("mm", false);
  const PackedLayout columns{{3, 2}, {"k", "n"}, {{1, 2, 1}, {0, 4, 1}}};
  validate(columns);
  library.inputs = {{"a", "a", {2, 3}}, {"b", "b", {3, 2}, kFloat32, {columns}}};
  library.outputs = {{"c", "c", {14}}};
  ExecutionPlan& plan = library.variants.front().plan;
  plan.inputs = {0, 1};
  plan.outputs = {2};
  return library;
}

/// net: y[16] from x[4,4].
inline Library madeUpNetwork() {
  Library library = madeUpLibrary("net", true);
  library.inputs = {{"x", "x", {4, 4}}};
  library.outputs = {{"y", "y", {16}}};
  ExecutionPlan& plan = library.variants.front().plan;
  plan.buffers = {{PlannedBuffer::Place::Input, 0, 64}, {PlannedBuffer::Place::Arena, 1, 64}};
  plan.steps = {{0, 0, {0, 1}}};
  plan.inputs = {0};
  plan.outputs = {1};
  plan.arenaBytes = 64;
  return library;
}

} // namespace nestwright::deploy_test
