#include "tests/lower/gpu_check.h"

#include "core/emulate/emulate.h"
#include "core/tensor/text.h"
#include "tests/lower/interpret.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace nestwright {
namespace {

const std::vector<std::string>& passes() {
  static const std::vector<std::string> names = {
      "build_loop_nest",       "simplify_indices", "bind_threads",     "tensorize",
      "reduce_across_threads", "expand_vthreads",  "simplify_bound",   "pipeline_shared",
      "place_storage",         "place_barriers",   "vectorize_copies", "unroll_registers",
      "unroll_loops",          "narrow_indices",   "write_out_loops"};
  return names;
}

bool isAtOrAfter(const std::string& pass, const std::string& other) {
  const auto at = std::find(passes().begin(), passes().end(), pass);
  if (at == passes().end()) throw std::runtime_error("unknown pass " + pass);
  return at >= std::find(passes().begin(), passes().end(), other);
}

std::string problemAfter(const std::string& pass, const LoopFunction& function,
                         const Tensors& inputs, const Tensors& expected) {
  if (!isAtOrAfter(pass, "bind_threads")) {
    try {
      return difference(expected, interpret(function, inputs));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  EmulationOptions options;
  options.races = isAtOrAfter(pass, "place_barriers");
  options.registers = isAtOrAfter(pass, "unroll_loops");
  const Emulation run = emulate(function, inputs, options);
  if (run.error)
    return fmt::format("{}: {} in line {}: {}", name(run.error->fault), run.error->what,
                       run.error->line, run.error->lineText);
  return difference(expected, run.outputs);
}

} // namespace

std::string gpuProblem(const State& state, const Tensors& inputs, const Tensors& expected,
                       Looks looks, GpuArchitecture architecture) {
  std::string problem;
  LowerOptions options;
  options.gpu = testGpu(architecture);
  const auto check = [&](const std::string& pass, const LoopFunction& function) {
    if (!problem.empty()) return;
    problem = problemAfter(pass, function, inputs, expected);
    if (!problem.empty()) problem = fmt::format("after {}: {}\n{}", pass, problem, print(function));
  };
  const auto isLarge = [](const LoopFunction& function) { return function.flops > 1e6; };
  options.onPass = [&](const std::string& pass, const LoopFunction& function) {
    if (looks == Looks::AfterEveryPass && !isLarge(function)) check(pass, function);
  };
  const LoopFunction function = lower(state, options);
  if (looks == Looks::AfterTheLast || isLarge(function)) check(passes().back(), function);
  return problem;
}

std::string gpuText(const char* dag, const char* steps, const std::string& pass,
                    GpuArchitecture architecture) {
  const State state = State::replay(parseDag(dag), stepsFromJson(nlohmann::json::parse(steps)));
  std::string text;
  LowerOptions options;
  options.gpu = testGpu(architecture);
  options.onPass = [&](const std::string& name, const LoopFunction& function) {
    if (name == pass) text = print(function);
  };
  const LoopFunction function = lower(state, options);
  return pass.empty() ? print(function) : text;
}

GpuFacts testGpu(GpuArchitecture architecture) {
  return gpuPreset(architecture);
}

} // namespace nestwright
