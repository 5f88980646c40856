#include "core/space/annotation.h"

#include "core/schedule/illegal_step.h"
#include "core/space/annotate.h"
#include "core/space/choices.h"
#include "core/space/split_reduction.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

/// A program, or why there is none.
struct Attempt {
  std::optional<State> state;
  std::optional<Illegality> illegal;
};

Attempt refused(Refusal kind, std::string text) {
  return {std::nullopt, Illegality{kind, std::move(text)}};
}

Attempt sampleForCpu(const State& start, const Steps& open, const SpaceOptions& options,
                     const ProgramChoices& choices, Random& random) {
  std::string failure;
  const std::optional<Steps> steps = fillTileSizes(open, options, random, failure);
  if (!steps) return refused(Refusal::NoTileSize, std::move(failure));
  State state = State::replay(start.originalDag(), *steps);
  if (options.movesStages)
    chooseComputeLocations(state, AccessAnalysis(state.dag()), random, choices);
  state = withBounds(state);
  annotateParallel(state, options, choices);
  annotateUnroll(state, options, random, choices);
  annotateVectorize(state, options, random, choices);
  if (auto illegal = illegality(state, options)) return {std::nullopt, std::move(illegal)};
  return {withBounds(state), std::nullopt};
}

/// Tile sizes that nothing speaks against at first sight; the last ones drawn when there are none.
Attempt drawTiles(const Steps& start, const SpaceOptions& options, Random& random, Steps& steps) {
  // Most tiles of a GPU have too many threads or too few. Looking at them costs little; the public
  // implementation counts each as an attempt.
  const int most = options.draws == Draws::Own ? 100 : 1;
  Attempt attempt;
  for (int draw = 0; draw < most; ++draw) {
    std::string failure;
    std::optional<Steps> filled = fillTileSizes(start, options, random, failure);
    if (!filled) return refused(Refusal::NoTileSize, std::move(failure));
    steps = std::move(*filled);
    attempt.illegal = illegalTiles(steps, options);
    if (!attempt.illegal) break;
  }
  return attempt;
}

Attempt sampleForGpu(const State& start, const Steps& decided, const SpaceOptions& options,
                     const ProgramChoices& choices, Random& random) {
  Steps steps;
  const Steps open = drawReductionParts(start, decided, random);
  if (Attempt attempt = drawTiles(open, options, random, steps); attempt.illegal) return attempt;
  steps = drawReductionThreads(start, std::move(steps), options, random);
  State state = withBounds(State::replay(start.originalDag(), steps));
  bindThreads(state, options, random);
  annotateUnroll(state, options, random, choices);
  const Bounds bounds = inferBounds(state);
  state = annotateKernels(state, bounds, options, random);
  if (auto illegal = illegality(state, bounds, options)) return {std::nullopt, std::move(illegal)};
  return {withBounds(state, bounds), std::nullopt};
}

} // namespace

SampledProgram sampleProgram(const std::vector<Sketch>& sketches, const SpaceOptions& options,
                             Random& random) {
  SampledProgram program;
  if (sketches.empty()) {
    program.failure = program.reason = "the task has no sketch";
    return program;
  }
  const std::uint64_t number = random.below(sketches.size());
  const Sketch& sketch = sketches[number];
  program = completeProgram(sketch, sketch.state.steps(), options, {}, random);
  program.sketch = static_cast<int>(number);
  return program;
}

SampledProgram completeProgram(const Sketch& sketch, const Steps& steps,
                               const SpaceOptions& options, const ProgramChoices& choices,
                               Random& random) {
  SampledProgram program;
  try {
    Attempt attempt = options.target.gpu
                          ? sampleForGpu(sketch.state, steps, options, choices, random)
                          : sampleForCpu(sketch.state, steps, options, choices, random);
    program.state = std::move(attempt.state);
    if (attempt.illegal) {
      program.failure = program.reason = std::move(attempt.illegal->text);
      program.refusal = attempt.illegal->kind;
    }
  } catch (const IllegalSchedule& error) {
    program.failure = error.what();
    program.reason = generalReason(error);
    program.refusal = Refusal::Steps;
  }
  return program;
}

} // namespace nestwright
