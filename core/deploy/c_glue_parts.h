#pragma once
/// \file Parts of the C code around the kernels, each in the room's own file.

#include "core/deploy/library.h"
#include "core/deploy/weights.h"

#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// "a, b, c": what an initialiser, or a list of parameters, has between its brackets.
inline std::string cList(const std::vector<std::string>& items) {
  return fmt::format("{}", fmt::join(items, ", "));
}

/// Which variant runs here: variant_here(), NAME_check() and NAME_processor(). `values` has NAME.
std::string processorGlue(const Library& library, std::map<std::string, std::string> values);

/// How an instance comes by its constants, where there are any: WEIGHTS, functions and tables that
/// need `variants` and an instance with variant, constants and mapped; MAP, statements of
/// NAME_open; UNMAP, of NAME_close. `values` has NAME.
void addWeights(const Library& library, const WeightsSums& sums,
                std::map<std::string, std::string>& values);

/// A network's functions. Likewise.
std::string networkGlue(const Library& library, const WeightsSums& sums,
                        std::map<std::string, std::string> values);

/// All functions of a library for a GPU.
std::string cudaGlue(const Library& library, const WeightsSums& sums,
                     std::map<std::string, std::string> values);

/// The rows of a variant's buffers; adds to `inputBytes` what copies of inputs take. `constants`
/// are their offsets by buffer.
std::string bufferRows(const ExecutionPlan& plan, const std::vector<std::int64_t>& constants,
                       std::int64_t alignment, std::int64_t& inputBytes);
/// The rows of its inputs and outputs.
std::string inputPorts(const ExecutionPlan& plan);
std::string outputPorts(const ExecutionPlan& plan);
/// TENSORS, the types and names of the tensors; CHECKS, check_arrays(), which needs an instance
/// with a variant that has buffers, inputs and outputs; FROM and TO, the parameters of a run.
/// `values` has NAME.
void addTensors(const Library& library, std::map<std::string, std::string>& values);

} // namespace nestwright
