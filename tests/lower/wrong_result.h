#pragma once
/// \file Programs that are run after each pass of lowering.

#include "core/lower/lower.h"
#include "core/schedule/state.h"
#include "tests/lower/interpret.h"
#include "tests/lower/random_tensors.h"

namespace nestwright {

/// What is wrong after the first pass of lowering that breaks the program, with its loops then; or
/// nothing.
inline std::string wrongResult(const State& state, const Tensors& inputs, const Tensors& expected) {
  std::string problem;
  LowerOptions options;
  options.dotProducts = {true, true};
  options.onPass = [&](const std::string& pass, const LoopFunction& function) {
    if (!problem.empty()) return;
    problem = difference(expected, interpret(function, inputs));
    if (!problem.empty())
      problem =
          fmt::format("after {}: {}\n{}\n{}", pass, problem, printLoopNest(state), print(function));
  };
  lower(state, options);
  return problem;
}

} // namespace nestwright
