#pragma once
/// \file Random legal programs, wilder than any search makes them: factors that do not divide,
/// fusions of anything, stages computed anywhere.

#include "core/schedule/state.h"
#include "core/support/error.h"
#include "core/support/random.h"

namespace nestwright::test {

/// A few small DAGs that between them have halos, strides, reshapes, several readers of one
/// tensor and chains of reductions.
inline std::vector<ComputeDag> smallDags() {
  std::vector<ComputeDag> dags;
  {
    const Op a = placeholder("A", {6, 5});
    const Op b = placeholder("B", {5, 7});
    const Op c = reduce("C", Reducer::Sum, {6, 7}, {{"k", 5}}, [&](const auto& i, const auto& r) {
      return read(a, {i[0], r[0]}) * read(b, {r[0], i[1]});
    });
    const Op d = compute("D", {6, 7}, [&](const auto& i) { return max(read(c, i), floatImm(0)); });
    dags.push_back(ComputeDag::fromOutputs({d}));
  }
  for (const std::int64_t stride : {1, 2}) {
    const Op data = placeholder("data", {7, 3});
    const Op scaled = compute("scaled", {7, 3}, [&](const auto& i) { return read(data, i) * 2; });
    const Op pad = compute("pad", {9, 3}, [&](const auto& i) {
      return ifThenElse(i[0] >= 1 && i[0] < 8, read(scaled, {i[0] - 1, i[1]}), floatImm(0));
    });
    const Op weights = placeholder("weights", {3, 3, 4});
    const Op conv =
        reduce("conv", Reducer::Sum, {6 / stride + 1, 4}, {{"rx", 3}, {"rc", 3}},
               [&](const auto& i, const auto& r) {
                 return read(pad, {i[0] * stride + r[0], r[1]}) * read(weights, {r[0], r[1], i[1]});
               });
    const Op out =
        compute("out", {6 / stride + 1, 4}, [&](const auto& i) { return read(conv, i) + 1; });
    dags.push_back(ComputeDag::fromOutputs({out}));
  }
  {
    const Op x = placeholder("X", {4, 6});
    const Op y = compute("Y", {4, 6}, [&](const auto& i) { return read(x, i) + 1; });
    const Op z = compute("Z", {3, 8}, [&](const auto& i) {
      const Expr flat = i[0] * 8 + i[1];
      return read(y, {floorDiv(flat, 6), floorMod(flat, 6)});
    });
    const Op t = compute("T", {8, 3}, [&](const auto& i) { return read(z, {i[1], i[0]}) * 2; });
    dags.push_back(ComputeDag::fromOutputs({t}));
  }
  {
    const Op x = placeholder("X", {4, 5});
    const Op top = reduce("top", Reducer::Max, {4}, {{"k", 5}}, [&](const auto& i, const auto& r) {
      return read(x, {i[0], r[0]});
    });
    const Op e = compute("E", {4, 5}, [&](const auto& i) {
      return call(Intrinsic::Exp, {read(x, i) - read(top, {i[0]})});
    });
    const Op total =
        reduce("total", Reducer::Sum, {4}, {{"k", 5}}, [&](const auto& i, const auto& r) {
          return read(e, {i[0], r[0]});
        });
    const Op soft =
        compute("soft", {4, 5}, [&](const auto& i) { return read(e, i) / read(total, {i[0]}); });
    dags.push_back(ComputeDag::fromOutputs({soft}));
  }
  {
    const Op x = placeholder("X", {13});
    const Op a =
        compute("a", {12}, [&](const auto& i) { return read(x, {i[0]}) + read(x, {i[0] + 1}); });
    const Op b =
        compute("b", {10}, [&](const auto& i) { return read(a, {i[0]}) + read(a, {i[0] + 2}); });
    const Op c = compute("c", {10},
                         [&](const auto& i) { return read(b, {9 - i[0]}) + read(a, {i[0] + 1}); });
    dags.push_back(ComputeDag::fromOutputs({c}));
  }
  return dags;
}

/// A step of a random kind with random arguments; often illegal.
inline Step randomStep(const State& state, Random& random) {
  const auto below = [&](std::size_t bound) { return static_cast<int>(random.below(bound)); };
  int stage = below(state.stageCount());
  while (state.stage(stage).isPlaceholder())
    stage = below(state.stageCount());
  const int loops = static_cast<int>(state.stage(stage).iterators.size());
  const int loop = below(std::max(loops, 1));
  switch (random.below(13)) {
  case 0:
  case 1:
  case 2: {
    SplitStep split{stage, loop, {}, {}, random.below(3) != 0};
    for (int n = 1 + below(3); n > 0; --n)
      split.factors.emplace_back(1 + below(5));
    return split;
  }
  case 3: {
    FuseStep fuse{stage, {}};
    const int last = std::min(loops - 1, loop + 1 + below(2));
    for (int i = loop; i <= last; ++i)
      fuse.iterators.push_back(i);
    return fuse;
  }
  case 4: {
    ReorderStep reorder{stage, {}};
    for (int i = 0; i < loops; ++i)
      reorder.order.insert(reorder.order.begin() + below(reorder.order.size() + 1), i);
    return reorder;
  }
  case 5:
  case 6: {
    const int target = stage + below(state.stageCount() - stage);
    const auto targetLoops = state.stage(target).iterators.size();
    return ComputeAtStep{stage, target, below(std::max<std::size_t>(targetLoops, 1))};
  }
  case 7:
    return random.below(2) == 0 ? Step(ComputeInlineStep{stage}) : Step(ComputeRootStep{stage});
  case 8:
    return CacheWriteStep{stage, "local"};
  case 9: {
    CacheReadStep cache{below(state.stageCount()), "shared", {}};
    for (int n = 1 + below(2); n > 0; --n)
      cache.readers.push_back(cache.stage + below(state.stageCount() - cache.stage));
    return cache;
  }
  case 10:
    return AnnotationStep{stage, loop,
                          random.below(2) == 0 ? Annotation::ThreadX : Annotation::BlockX};
  case 11: {
    const OpNode& op = *state.stage(stage).op;
    const int reduction = loops - 1 - below(std::max<std::size_t>(op.reduceAxes.size(), 1));
    return RfactorStep{stage, reduction, below(op.axes.size() + 1)};
  }
  default: {
    FollowFusedSplitStep follow{stage, loop, {}, below(2), random.below(3) != 0};
    for (int n = 1 + below(2); n > 0; --n)
      follow.sourceSteps.push_back(below(std::max<std::size_t>(state.steps().size(), 1)));
    return follow;
  }
  }
}

/// A state after up to `attempts` random steps, of which the illegal ones are left out.
inline State randomState(const ComputeDag& dag, int attempts, Random& random) {
  State state(dag);
  for (int i = 0; i < attempts; ++i) {
    try {
      state.apply(randomStep(state, random));
    } catch (const IllegalSchedule&) {
      continue;
    }
  }
  return state;
}

} // namespace nestwright::test
