#pragma once
/// \file The identities of many programs of one DAG.

#include "core/schedule/step.h"
#include "core/tensor/compute_dag.h"

#include <string>

namespace nestwright {

/// programId() of programs of one DAG, which is written down once.
class ProgramIds {
 public:
  explicit ProgramIds(const ComputeDag& dag);
  std::string of(const Steps& steps) const;

 private:
  std::string dag_;
};

} // namespace nestwright
