#include "core/feature/program_features.h"

#include "core/space/kernel_demand.h"
#include "core/support/error.h"
#include "core/support/parallel.h"

#include <variant>

namespace nestwright {

namespace {

template <class T, class More>
void append(std::vector<T>& list, const More& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// One for each statement, of the machine that the program is for.
using LoweredRows = std::variant<std::vector<LoweredRow>, std::vector<GpuRow>>;

LoweredRows loweredRows(const State& state, const Bounds& bounds,
                        const std::vector<std::string>& statements,
                        const LoweredFeatureOptions& options) {
  LowerOptions lowering = options.lowering;
  lowering.unroll = false;
  const LoopFunction function = lower(state, lowering);
  if (!lowering.gpu) return loweredFeatures(function, statements, options);
  std::vector<double> registers;
  for (const KernelDemand& kernel : kernelDemands(state, bounds, *lowering.gpu))
    registers.push_back(std::max(kernel.registers(), kernel.neededRegisters()));
  return gpuFeatures(function, statements, registers, *lowering.gpu);
}

} // namespace

std::size_t FeatureChoice::columns() const {
  const std::size_t ofLowered = gpu ? kGpuFeatureCount : kLoweredFeatureCount;
  return (paper ? kFeatureCount : 0) + (lowered ? ofLowered : 0);
}

FeatureChoice featureChoice(std::string_view text, const TargetFacts& target) {
  const bool gpu = target.gpu.has_value();
  if (text == "paper") return {true, false, gpu};
  if (text == "lowered") return {false, true, gpu};
  if (text == "paper,lowered") return {true, true, gpu};
  throw UsageError(fmt::format("there are no features '{}'; choose paper (the 164 of Ansor), "
                               "lowered (of the program as executed), or paper,lowered",
                               text));
}

FeatureChoice allFeatures(const TargetFacts& target) {
  return {true, true, target.gpu.has_value()};
}

std::vector<std::string> featureNames(FeatureChoice choice) {
  std::vector<std::string> names;
  if (choice.paper) append(names, featureNames());
  if (choice.lowered && choice.gpu) append(names, gpuFeatureNames());
  if (choice.lowered && !choice.gpu) append(names, loweredFeatureNames());
  return names;
}

std::vector<std::string> featureMeanings(FeatureChoice choice) {
  std::vector<std::string> meanings;
  if (choice.paper) append(meanings, featureMeanings());
  if (choice.lowered && choice.gpu) append(meanings, gpuFeatureMeanings());
  if (choice.lowered && !choice.gpu) append(meanings, loweredFeatureMeanings());
  return meanings;
}

ProgramFeatures programFeatures(const State& state, const ProgramFeatureOptions& options) {
  const FeatureChoice choice = options.choice;
  NW_ASSERT(choice.gpu == options.lowered.lowering.gpu.has_value(),
            "features of one kind of machine for programs of the other");
  const Bounds bounds = inferBounds(state);
  std::vector<StatementFeatures> paper;
  ProgramFeatures result{choice, {}, {}, {}};
  if (choice.paper) {
    paper = statementFeatures(state, bounds, options.paper);
    for (const StatementFeatures& row : paper) {
      result.stages.push_back(row.stage);
      result.statements.push_back(row.statement);
    }
  } else {
    for (int i = 0; i < state.stageCount(); ++i)
      if (!state.stage(i).isPlaceholder() && state.stage(i).location != ComputeLocation::Inlined)
        result.stages.push_back(state.stage(i).name());
    result.statements = result.stages;
  }
  LoweredRows lowered;
  if (choice.lowered) lowered = loweredRows(state, bounds, result.statements, options.lowered);
  result.values.reserve(result.stages.size() * choice.columns());
  for (std::size_t i = 0; i < result.stages.size(); ++i) {
    if (choice.paper) append(result.values, paper[i].values);
    std::visit(
        [&](const auto& rows) {
          if (choice.lowered) append(result.values, rows[i]);
        },
        lowered);
  }
  return result;
}

std::vector<ProgramFeatures> programFeatures(std::span<const State> programs,
                                             const ProgramFeatureOptions& options,
                                             unsigned threads) {
  std::vector<ProgramFeatures> result(programs.size());
  parallelFor(programs.size(), threads, [&](std::size_t i) {
    try {
      result[i] = programFeatures(programs[i], options);
    } catch (const Error&) {
      result[i] = {}; // such programs are met in a search; the model sees that they have no rows
    }
  });
  return result;
}

} // namespace nestwright
