#pragma once
/// \file Changing a program by hand: the decisions in its steps as text that people edit, and the
/// annotations of its loops. An edit gives new steps; whether they are a program, replaying tells.

#include "core/schedule/bounds.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// What can be changed about one step.
struct EditableStep {
  int step = 0;                     // index in the program's steps
  std::string words;                // "split loop i of C (512) into 8, 2, 4, 8"
  std::string value;                // "2, 4, 8", "i.0, k.0, i.1", "vectorize", "64"
  std::string meaning;              // of the value, for a tool tip
  std::vector<std::string> choices; // where only these are of use
};

/// Splits, reorders, annotations and unroll pragmas, in the order of the steps; those before the
/// first illegal one.
std::vector<EditableStep> editableSteps(const ComputeDag& dag, const Steps& steps);

/// The steps with another value for one of them. Throws InputError when the text is no value for
/// that step. Splits that follow the changed one follow it further.
Steps withValue(const ComputeDag& dag, const Steps& steps, int step, std::string_view value);

/// A loop of the finished nest that can be annotated.
struct EditableLoop {
  int stage = 0, iterator = 0;
  std::string name; // "C.i.0"
  std::int64_t extent = 0;
  bool reduction = false;
  Annotation annotation = Annotation::None;
};
/// None, unroll, vectorize, parallel: what people put on loops of a CPU program.
inline constexpr Annotation kHandAnnotations[] = {Annotation::None, Annotation::Unroll,
                                                  Annotation::Vectorize, Annotation::Parallel};

/// The loops of all stages that have loops of their own, outermost first; loops of extent 1 are
/// left out unless they are annotated. `state` with bounds.
std::vector<EditableLoop> editableLoops(const State& state, const Bounds& bounds);

/// The steps with this annotation on a loop of the nest that they give: an earlier annotation of
/// that loop is changed where nothing moved the loops since, or else one is added at the end.
Steps withAnnotation(Steps steps, int stage, int iterator, Annotation annotation);

/// Why the steps are no program that can run, in a sentence; empty when they are one.
std::string illegality(const ComputeDag& dag, const Steps& steps);

} // namespace nestwright
