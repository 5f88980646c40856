#pragma once
/// \file Single operators as tasks: the benchmark operators of Ansor (handbook/networks.md 5), with
/// optional bias and ReLU, chosen by a text such as
/// `conv2d:n=1,h=56,w=56,ci=64,co=64,k=3,s=1,p=1,relu=1`. With `bf16=1` or `fp16=1` tensors are of
/// bfloat16 or float16; what is computed in between is float32. With `int8=1` a product is one of
/// uint8 and int8, summed in int32.

#include "core/network/graph/spec.h"
#include "core/tensor/compute_dag.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// An operator workload that can be asked for by name.
struct WorkloadInfo {
  std::string name;
  std::string description;
  std::vector<ParameterInfo> parameters; // in the order of the text form
};

/// All operator workloads: matmul, batch_matmul, conv1d, conv2d, conv3d, depthwise_conv2d,
/// grouped_conv2d, dilated_conv2d, transposed_conv2d, softmax, norm.
const std::vector<WorkloadInfo>& workloads();

/// A workload with all its parameters decided.
struct Workload {
  std::string text; // complete: every parameter, in order (quiet ones unless default); parses to
                    // the same workload
  ComputeDag dag;
};

/// True when the text starts with the name of a workload (and so is no network).
bool isTaskSpec(std::string_view text);

/// Throws InputError for an unknown operator or parameter, a value out of range, or shapes that do
/// not fit together (a kernel larger than the padded input, channels that groups do not divide).
Workload parseTaskSpec(std::string_view text);

/// Other definitions of the same operator, which are marked as its alternatives: a convolution of
/// 3x3 by Winograd's filtering. They take its kernel transformed.
std::vector<Workload> alternativesOf(const Workload& workload);

} // namespace nestwright
