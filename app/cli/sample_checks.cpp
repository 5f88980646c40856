#include "app/cli/sample_checks.h"

#include "core/emulate/emulate.h"
#include "core/lower/lower.h"
#include "core/measure/elements.h"
#include "core/measure/measure.h"
#include "core/plugin/plugin.h"
#include "core/schedule/bounds.h"
#include "core/schedule/tensor_instruction.h"
#include "core/space/kernel_demand.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/parallel.h"
#include "core/support/random.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/half.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace nestwright::cli {

namespace {

using nlohmann::json;
using Inputs = std::map<std::string, TensorValues>;

constexpr double kRegisterBand = 1.3; // handbook/cuda.md 2.4

std::string firstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Kernels stand in the order of the stages at root, in the space's eyes and in the artifact.
void countRegisters(const State& program, const GpuFacts& gpu, const KernelArtifact& artifact,
                    CompileCounts& counts) {
  const std::vector<KernelDemand> estimates = kernelDemands(program, inferBounds(program), gpu);
  counts.kernels += artifact.launches.size();
  for (std::size_t i = 0; i < artifact.launches.size() && i < estimates.size(); ++i) {
    const double registers = artifact.launches[i].resources.registers;
    const double estimate = estimates[i].registers();
    if (registers > kRegisterBand * estimate) continue;
    ++counts.withinEstimate;
    if (registers * kRegisterBand >= estimate) ++counts.withinBand;
  }
}

Inputs randomInputs(const ComputeDag& dag) {
  constexpr std::uint64_t kSeed = 1;
  Inputs inputs;
  for (const Op& op : dag.inputs()) {
    const Buffer& tensor = op->output;
    Random random = Random::stream(kSeed, tensor->name, 0);
    TensorValues& values = inputs[tensor->name];
    values.resize(static_cast<std::size_t>(tensor->elements()));
    for (double& value : values)
      value = tensor->type.isFloat()
                  ? roundedTo(static_cast<float>(2 * random.unit() - 1), tensor->type)
                  : static_cast<double>(random.below(2));
  }
  return inputs;
}

bool agree(const TensorValues& actual, const TensorValues& expected, const Tolerance& allowed) {
  if (actual.size() != expected.size()) return false;
  const AnswerComparison comparison(
      expected.size(), [&](std::size_t i) { return expected[i]; }, allowed);
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (!comparison.allows(actual[i], expected[i])) return false;
  return true;
}

} // namespace

CompileCounts compileAll(const std::vector<State>& programs, const TargetFacts& target) {
  const Backend& compiler = backend(target.backend);
  const CompileOptions options = compileOptionsFor(target);
  CompileCounts counts;
  const auto start = std::chrono::steady_clock::now();
  for (const State& program : programs)
    try {
      const KernelArtifact artifact =
          compiler.compile(lower(program, lowerOptionsFor(target)), options);
      ++counts.compiled;
      if (artifact.spilledBytes() > 0) ++counts.spilling;
      if (target.gpu) countRegisters(program, *target.gpu, artifact, counts);
    } catch (const SystemError&) {
      throw; // no compiler: no other program fares better
    } catch (const Error& error) {
      ++counts.failures[firstLine(error.what())];
    }
  counts.seconds = secondsSince(start);
  return counts;
}

EmulationCounts emulateAll(const std::vector<State>& programs, const TargetFacts& target) {
  if (!target.gpu)
    throw UsageError(
        fmt::format("only programs of a GPU are emulated, and {} is none", target.text()));
  EmulationCounts counts;
  if (programs.empty()) return counts;
  const ComputeDag& dag = programs.front().originalDag();
  const Inputs inputs = randomInputs(dag);
  const Inputs expected = evaluate(dag, inputs);
  std::vector<Emulation> runs(programs.size());
  std::vector<char> right(programs.size());
  const auto start = std::chrono::steady_clock::now();
  parallelFor(programs.size(), 0, [&](std::size_t i) {
    Emulation run = emulate(lower(programs[i], lowerOptionsFor(target)), inputs);
    const TensorInstruction* used = tensorInstructionOf(programs[i].steps());
    const bool tf32 = used != nullptr && used->input == kFloat32;
    const Tolerance wanted = tf32 ? toleranceOfTf32({}) : Tolerance{};
    right[i] = !run.error && std::ranges::all_of(dag.outputs(), [&](const Op& op) {
      const Buffer& output = op->output;
      return agree(run.outputs.at(output->name), expected.at(output->name),
                   toleranceFor(output->type, wanted));
    });
    run.outputs.clear();
    runs[i] = std::move(run);
  });
  counts.seconds = secondsSince(start);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].error)
      ++counts.faults[name(runs[i].error->fault)];
    else
      ++(right[i] ? counts.agree : counts.wrong);
  return counts;
}

RunCounts runAll(const std::vector<State>& programs, const TargetFacts& target,
                 const std::string& device, const WorkerLaunch& launch) {
  RunCounts counts;
  if (programs.empty()) return counts;
  std::vector<MeasureRequest> requests;
  for (const State& program : programs) {
    MeasureRequest& request = requests.emplace_back();
    request.id = requests.size();
    request.dag = print(program.originalDag());
    request.steps = program.steps();
    request.check = request.onlyCheck = true;
  }
  const auto start = std::chrono::steady_clock::now();
  MeasureOptions options;
  options.device = device;
  Measurer measurer(options, launch, target);
  measurer.measure(requests, [&](const MeasureResult& result) {
    if (result.verdict == Verdict::Ok)
      ++(result.checked ? counts.agree : counts.unchecked);
    else if (result.verdict == Verdict::WrongAnswer)
      ++counts.wrong;
    else
      ++(result.verdict == Verdict::Illegal ? counts.refused : counts.failed);
    if (result.verdict != Verdict::Ok || !result.checked)
      ++counts.failures[fmt::format(
          "{}: {}", name(result.verdict),
          firstLine(result.error.empty() ? result.uncheckedReason : result.error))];
  });
  counts.seconds = secondsSince(start);
  return counts;
}

json toJson(const RunCounts& counts) {
  return {{"agree", counts.agree},     {"wrong", counts.wrong},   {"unchecked", counts.unchecked},
          {"refused", counts.refused}, {"failed", counts.failed}, {"failures", counts.failures},
          {"seconds", counts.seconds}};
}

std::string inWords(const RunCounts& counts) {
  std::string text =
      fmt::format("{} ran and computed what they should, {} did not, {} could not be compared, {} "
                  "were refused before they ran, {} failed",
                  counts.agree, counts.wrong, counts.unchecked, counts.refused, counts.failed);
  for (const auto& [reason, count] : counts.failures)
    text += fmt::format("\n{}: {}", count, reason);
  return text;
}

json toJson(const CompileCounts& counts) {
  return {{"compiled", counts.compiled},
          {"spilling", counts.spilling},
          {"kernels", counts.kernels},
          {"within_register_estimate", counts.withinEstimate},
          {"within_register_band", counts.withinBand},
          {"failures", counts.failures},
          {"seconds", counts.seconds}};
}

json toJson(const EmulationCounts& counts) {
  return {{"agree", counts.agree},
          {"wrong", counts.wrong},
          {"faults", counts.faults},
          {"seconds", counts.seconds}};
}

std::string inWords(const CompileCounts& counts) {
  std::string text = fmt::format("{} compile", counts.compiled);
  if (counts.kernels > 0)
    text += fmt::format(
        ", {} spill registers; {} of {} kernels take at most {} times the registers "
        "that were estimated, {} are within that factor either way",
        counts.spilling, counts.withinEstimate, counts.kernels, kRegisterBand, counts.withinBand);
  for (const auto& [reason, count] : counts.failures)
    text += fmt::format("\n{} do not: {}", count, reason);
  return text;
}

std::string inWords(const EmulationCounts& counts) {
  std::string text =
      fmt::format("{} compute what they should, {} do not", counts.agree, counts.wrong);
  for (const auto& [fault, count] : counts.faults)
    text += fmt::format("\n{}: {}", count, fault);
  return text;
}

} // namespace nestwright::cli
