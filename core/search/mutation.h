#pragma once
/// \file The mutations of evolutionary search (handbook/ansor.md 4.4). Each gives a changed, legal
/// program with known ranges, or nothing when it does not apply to the parent or when the draw led
/// to an illegal program; the caller draws again. All draw from `random` alone.

#include "core/schedule/state.h"
#include "core/space/sketch.h"
#include "core/support/random.h"

#include <optional>

namespace nestwright {

/// Moves a divisor of one tile size to another of the same split.
std::optional<State> mutateTileSize(const State& parent, const SpaceOptions& options,
                                    Random& random);

/// Draws the unroll limit of one stage anew.
std::optional<State> mutateUnroll(const State& parent, const SpaceOptions& options, Random& random);

/// Chooses anew what is decided about one kernel (kernelDecisions); nothing where the options want
/// the paper's draws.
std::optional<State> mutateKernel(const State& parent, const SpaceOptions& options, Random& random);

/// Moves one attached stage to another loop.
std::optional<State> mutateComputeLocation(const State& parent, const SpaceOptions& options,
                                           Random& random);

/// Fuses more or fewer outer loops into one parallel loop.
std::optional<State> mutateParallel(const State& parent, const SpaceOptions& options,
                                    Random& random);

/// The program of the steps with its ranges, or nothing when it is illegal; `reason` then gets why.
std::optional<State> legalProgram(const ComputeDag& dag, const Steps& steps,
                                  const SpaceOptions& options, std::string* reason = nullptr);

} // namespace nestwright
