#pragma once
/// \file The annotations that turn a sketch into a program, in the order in which they are made.
/// Private to this room; each file has one. All draw from `random` alone, but for what `choices`
/// say; they throw IllegalSchedule where that cannot be.

#include "core/schedule/bounds.h"
#include "core/schedule/state.h"
#include "core/space/choices.h"
#include "core/space/sketch.h"
#include "core/support/random.h"
#include "core/tensor/access_analysis.h"

#include <optional>
#include <string>

namespace nestwright {

/// The steps with every undecided factor decided: uniformly one of the tuples of factors whose
/// product with those that are decided divides the extent, and whose innermost factor is within the
/// limit (handbook/ansor.md 3.3). Nothing when some split has no such tuple; then `failure` says
/// which.
std::optional<Steps> fillTileSizes(const Steps& steps, const SpaceOptions& options, Random& random,
                                   std::string& failure);

/// Moves stages that no rule placed: inlined, at root, or inside a loop of their consumer
/// (handbook/ansor.md 3.4).
void chooseComputeLocations(State& state, const AccessAnalysis& analysis, Random& random,
                            const ProgramChoices& choices = {});
/// Whether that may move the stage.
bool isMovable(const State& state, const AccessAnalysis& analysis, int stage);

/// Fuses and parallelises the outer loops of every nest (handbook/ansor.md 3.5). Ranges must be
/// known.
void annotateParallel(State& state, const SpaceOptions& options,
                      const ProgramChoices& choices = {});

/// Binds the loops of every kernel to blocks, virtual threads and threads of a GPU
/// (handbook/cuda.md 2.3). Ranges must be known.
void bindThreads(State& state, const SpaceOptions& options, Random& random);

/// The steps of a sketch with other numbers of threads for reductions across threads, where the
/// options want draws of our own (handbook/cuda.md 2.6).
Steps drawReductionThreads(const State& sketch, Steps steps, const SpaceOptions& options,
                           Random& random);

/// The program with what kernelDecisions() leaves open decided, where the options want draws of our
/// own. `bounds` are those of the state, and of the program that comes of it.
State annotateKernels(const State& state, const Bounds& bounds, const SpaceOptions& options,
                      Random& random);

/// Unrolls what operators want unrolled, and draws the unroll limit of reducing stages
/// (handbook/ansor.md 3.6).
void annotateUnroll(State& state, const SpaceOptions& options, Random& random,
                    const ProgramChoices& choices = {});

/// Fuses and vectorises innermost loops (handbook/ansor.md 3.7). Ranges must be known.
void annotateVectorize(State& state, const SpaceOptions& options, Random& random,
                       const ProgramChoices& choices = {});

} // namespace nestwright
