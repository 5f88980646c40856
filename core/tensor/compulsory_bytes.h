#pragma once
/// \file The least memory traffic that a computation can have.

#include "core/tensor/compute_dag.h"

namespace nestwright {

/// Bytes that any program of the DAG must touch: its inputs and outputs, once.
double compulsoryBytes(const ComputeDag& dag);

} // namespace nestwright
