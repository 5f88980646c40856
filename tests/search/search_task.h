#pragma once
/// \file A task as the search policies see it, and random programs of it.

#include "core/search/search_policy.h"
#include "core/space/annotation.h"
#include "core/tensor/compute_dag.h"
#include "tests/search/fake_scorer.h"

#include <utility>
#include <vector>

namespace nestwright::test {

/// A context for four cores, with all that it points to.
struct SearchTask {
  SearchTask(ComputeDag of, std::uint64_t seed) : dag(std::move(of)) {
    context.space.target.cores = 4;
    sketches = generateSketches(dag, context.space);
    context.dag = &dag;
    context.sketches = &sketches;
    context.taskKey = workloadKey(dag);
    context.seed = seed;
    context.scorer = &scorer;
  }
  SearchTask(const SearchTask&) = delete;
  SearchTask& operator=(const SearchTask&) = delete;

  /// The same program for the same index, different ones for most others.
  State sample(std::uint64_t index) const {
    for (std::uint64_t attempt = 0;; ++attempt) {
      Random random = Random::stream(context.seed, "sample", 1000 * index + attempt);
      if (auto program = sampleProgram(sketches, context.space, random); program.state)
        return *program.state;
    }
  }

  ComputeDag dag;
  std::vector<Sketch> sketches;
  FakeScorer scorer;
  SearchContext context;
};

} // namespace nestwright::test
