#include "core/search/decisions/sketch_decisions.h"

#include "core/search/decisions/decision_moves.h"
#include "core/search/decisions/program_decisions.h"
#include "core/space/choices.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// A split of a sketch that is to be decided.
struct OpenSplit {
  std::size_t step = 0;
  std::string name;
  std::int64_t extent = 0;
  std::vector<TileSize> parts; // outermost first
  std::int64_t mostInnermost = 0;
};

std::vector<OpenSplit> openSplits(const Sketch& sketch, const SpaceOptions& options) {
  std::vector<OpenSplit> open;
  const Steps& steps = sketch.state.steps();
  State before(sketch.state.originalDag());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* split = std::get_if<SplitStep>(&steps[i]);
    if (split && split->extent && std::ranges::count(split->factors, TileSize()) > 0 &&
        !cutsAReduction(steps, i)) {
      const Stage& stage = before.stage(split->stage);
      OpenSplit& of = open.emplace_back();
      of.step = i;
      of.name = decisionName(DecisionKind::TileSize, stage.name(),
                             stage.iterators[static_cast<std::size_t>(split->iterator)].name);
      of.extent = *split->extent;
      of.parts = split->factors;
      if (split->innerToOuter && !split->factors.back())
        of.mostInnermost = options.maxInnermostFactor;
      of.parts.insert(split->innerToOuter ? of.parts.begin() : of.parts.end(), TileSize());
    }
    before.apply(steps[i]);
  }
  return open;
}

/// The steps with the split decided. Throws IllegalSchedule.
void decide(Steps& steps, const OpenSplit& open, const std::vector<std::int64_t>& parts) {
  const auto refuse = [&](const std::string& why) {
    throw IllegalSchedule(
        fmt::format("{} cannot be {}: {}", open.name, fmt::join(parts, " · "), why));
  };
  if (parts.size() != open.parts.size())
    throw IllegalSchedule(fmt::format("{} are {}, outermost first, and not {}", open.name,
                                      quantity(std::ssize(open.parts), "part"), parts.size()));
  std::int64_t left = open.extent;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (open.parts[i] && *open.parts[i] != parts[i])
      refuse(fmt::format("part {} is {} in this sketch", i, *open.parts[i]));
    if (parts[i] < 1 || left % parts[i] != 0)
      refuse(fmt::format("their product has to be {}", open.extent));
    left /= parts[i];
  }
  if (left != 1) refuse(fmt::format("their product has to be {}", open.extent));
  if (open.mostInnermost > 0 && parts.back() > open.mostInnermost)
    refuse(fmt::format("the innermost may be {} at most", open.mostInnermost));
  auto& split = std::get<SplitStep>(steps[open.step]);
  const auto first = parts.begin() + (split.innerToOuter ? 1 : 0);
  split.factors.assign(first, first + std::ssize(split.factors));
}

std::int64_t numberOf(const std::string& name, const DecisionValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (!number) throw IllegalSchedule(fmt::format("{} is a whole number", name));
  return *number;
}

void choose(ProgramChoices& choices, const StageChoices& stage, const SketchDecision& decision,
            const DecisionValue& value) {
  if (decision.kind == DecisionKind::ComputeLocation) {
    const auto* place = std::get_if<std::string>(&value);
    if (!place) throw IllegalSchedule(fmt::format("{} is a text", decision.name));
    choices.places[stage.stage] = *place;
    return;
  }
  const std::int64_t number = numberOf(decision.name, value);
  if (std::ranges::find(decision.values, number) == decision.values.end())
    throw IllegalSchedule(fmt::format("{} cannot be {}; there are {}", decision.name, number,
                                      fmt::join(decision.values, ", ")));
  if (decision.kind == DecisionKind::Unroll)
    choices.unroll[stage.stage] = number;
  else if (decision.kind == DecisionKind::Parallel)
    choices.parallel[stage.stage] = static_cast<int>(number);
  else
    choices.vector[stage.stage] = static_cast<int>(number);
}

std::vector<std::int64_t> upTo(int most) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(most) + 1);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::vector<SketchDecision> decisionsOfStage(const StageChoices& stage) {
  std::vector<SketchDecision> all;
  const auto add = [&](DecisionKind kind) -> SketchDecision& {
    SketchDecision& decision = all.emplace_back();
    decision.kind = kind;
    decision.name = decisionName(kind, stage.stage);
    decision.stage = stage.stage;
    return decision;
  };
  if (!stage.places.empty()) add(DecisionKind::ComputeLocation).places = stage.places;
  if (stage.parallel > 0) add(DecisionKind::Parallel).values = upTo(stage.parallel);
  if (!stage.unroll.empty()) add(DecisionKind::Unroll).values = stage.unroll;
  if (stage.vector > 0) add(DecisionKind::Vectorize).values = upTo(stage.vector);
  return all;
}

/// Of everything in the program that has a name, whether its sketch decided it or not.
DecisionValues allValues(const ComputeDag& dag, const Steps& steps) {
  DecisionValues values;
  for (const ProgramDecision& of : decisionsOf(dag, steps)) {
    if (of.kind == DecisionKind::TileSize) {
      DecisionValue& parts =
          values.try_emplace(of.decision, std::vector<std::int64_t>()).first->second;
      std::get<std::vector<std::int64_t>>(parts).push_back(of.ordered);
    } else if (of.kind == DecisionKind::ComputeLocation) {
      values[of.name] = of.value;
    } else {
      values[of.name] = of.ordered;
    }
  }
  // A later step can move a stage for good.
  State now(dag);
  for (const Step& step : steps) {
    const bool inlined = std::holds_alternative<ComputeInlineStep>(step);
    if (inlined || std::holds_alternative<ComputeRootStep>(step))
      values[decisionName(DecisionKind::ComputeLocation, now.stage(stageOf(step)).name())] =
          std::string(inlined ? kInlined : kAtRoot);
    now.apply(step);
  }
  return values;
}

/// A loop of the stage is parallel, or one of those computed inside it.
bool hasParallelLoops(const State& state, int id) {
  const std::vector<Iterator>& loops = state.stage(id).iterators;
  for (int i = 0; i < static_cast<int>(loops.size()); ++i) {
    if (loops[static_cast<std::size_t>(i)].annotation == Annotation::Parallel) return true;
    for (const int attached : state.attachedAt({id, i}))
      if (hasParallelLoops(state, attached)) return true;
  }
  return false;
}

/// The decisions of stages whose outer loops have one iteration, so that what is inside them is
/// parallel as it always is then: no number of loops says that.
std::set<std::string> parallelInside(const State& state) {
  std::set<std::string> names;
  for (int id = 0; id < state.stageCount(); ++id)
    if (hasParallelLoops(state, id))
      names.insert(decisionName(DecisionKind::Parallel, state.stage(id).name()));
  return names;
}

SampledProgram refused(std::string why) {
  SampledProgram program;
  program.failure = program.reason = std::move(why);
  program.refusal = Refusal::Steps;
  return program;
}

} // namespace

std::vector<SketchDecision> sketchDecisions(const Sketch& sketch, const SpaceOptions& options) {
  std::vector<SketchDecision> all;
  for (OpenSplit& split : openSplits(sketch, options)) {
    SketchDecision& decision = all.emplace_back();
    decision.name = std::move(split.name);
    decision.extent = split.extent;
    decision.parts = std::move(split.parts);
    decision.mostInnermost = split.mostInnermost;
  }
  for (const StageChoices& stage : openChoices(sketch, options))
    std::ranges::move(decisionsOfStage(stage), std::back_inserter(all));
  return all;
}

SampledProgram decidedProgram(const Sketch& sketch, const SpaceOptions& options,
                              const DecisionValues& values, Random& random) {
  try {
    Steps steps = sketch.state.steps();
    std::size_t known = 0;
    for (const OpenSplit& open : openSplits(sketch, options)) {
      const auto value = values.find(open.name);
      if (value == values.end()) continue;
      const auto* parts = std::get_if<std::vector<std::int64_t>>(&value->second);
      if (!parts) return refused(fmt::format("{} are a list of whole numbers", open.name));
      decide(steps, open, *parts);
      ++known;
    }
    ProgramChoices choices;
    for (const StageChoices& stage : openChoices(sketch, options))
      for (const SketchDecision& decision : decisionsOfStage(stage))
        if (const auto value = values.find(decision.name); value != values.end()) {
          choose(choices, stage, decision, value->second);
          ++known;
        }
    if (known < values.size()) {
      std::vector<std::string> names;
      for (const SketchDecision& decision : sketchDecisions(sketch, options))
        names.push_back(decision.name);
      for (const auto& [name, value] : values)
        if (std::ranges::find(names, name) == names.end())
          return refused(fmt::format("this sketch has no decision \"{}\"; there are {}", name,
                                     fmt::join(names, ", ")));
    }
    return completeProgram(sketch, steps, options, choices, random);
  } catch (const IllegalSchedule& error) {
    return refused(error.what());
  }
}

DecisionValues decisionValues(const Sketch& sketch, const SpaceOptions& options,
                              const Steps& steps) {
  const ComputeDag& dag = sketch.state.originalDag();
  const DecisionValues found = allValues(dag, steps);
  const std::set<std::string> inside = parallelInside(State::replay(dag, steps));
  DecisionValues values;
  for (const SketchDecision& decision : sketchDecisions(sketch, options)) {
    if (const auto value = found.find(decision.name); value != found.end())
      values.insert(*value);
    else if (decision.kind == DecisionKind::ComputeLocation)
      values.emplace(decision.name, kAtRoot); // it stayed there
    else if (decision.kind == DecisionKind::Vectorize ||
             (decision.kind == DecisionKind::Parallel && !inside.contains(decision.name)))
      values.emplace(decision.name, std::int64_t(0));
  }
  return values;
}

} // namespace nestwright
