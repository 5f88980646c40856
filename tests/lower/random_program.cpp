#include "tests/lower/random_program.h"

#include "core/schedule/bounds.h"
#include "core/support/error.h"

namespace nestwright {
namespace {

class Generator {
 public:
  Generator(const ComputeDag& dag, Random& random) : state_(dag), random_(random) {}

  State generate() {
    for (int id = state_.stageCount(); id-- > 0;) {
      if (chance(0.15)) attempt(CacheWriteStep{id, "local"});
      if (chance(0.25)) factorReduction(id);
      if (chance(0.15)) cacheReads(id);
    }
    for (int id = 0; id < state_.stageCount(); ++id)
      if (chance(0.25)) attempt(ComputeInlineStep{id});
    for (int id = 0; id < state_.stageCount(); ++id)
      restructure(id);
    for (int id = state_.stageCount(); id-- > 0;)
      if (chance(0.6)) computeSomewhere(id);
    for (int id = 0; id < state_.stageCount(); ++id) {
      if (!hasLoops(id)) continue;
      if (chance(0.3)) fuseSome(id);
      annotate(id);
    }
    return state_;
  }

 private:
  bool chance(double probability) { return random_.unit() < probability; }
  int below(std::size_t bound) { return static_cast<int>(random_.below(bound)); }
  std::size_t loops(int id) const { return state_.stage(id).iterators.size(); }
  bool hasLoops(int id) const {
    return !state_.stage(id).isPlaceholder() && loops(id) > 0 &&
           state_.stage(id).location != ComputeLocation::Inlined;
  }

  bool attempt(const Step& step) {
    State next = state_;
    try {
      next.apply(step);
      inferBounds(next);
    } catch (const IllegalSchedule&) {
      return false;
    }
    state_ = next;
    return true;
  }

  std::vector<int> iteratorsOf(int id, IteratorKind kind) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < loops(id); ++i)
      if (state_.stage(id).iterators[i].kind == kind) found.push_back(static_cast<int>(i));
    return found;
  }

  /// Fuses or splits some of the reduction's loops, and takes one of them out of it.
  void factorReduction(int id) {
    if (!hasLoops(id)) return;
    const State before = state_;
    std::vector<int> reduction = iteratorsOf(id, IteratorKind::Reduction);
    if (reduction.empty()) return;
    if (reduction.size() > 1 && chance(0.7)) attempt(FuseStep{id, reduction});
    if (chance(0.9)) {
      reduction = iteratorsOf(id, IteratorKind::Reduction);
      const int at = random_.pick(reduction);
      const TileSize extent = state_.stage(id).iterators[static_cast<std::size_t>(at)].extent;
      attempt(SplitStep{id, at, extent, {factorOf(*extent)}, chance(0.8)});
    }
    reduction = iteratorsOf(id, IteratorKind::Reduction);
    const int position = below(iteratorsOf(id, IteratorKind::Spatial).size() + 1);
    if (!attempt(RfactorStep{id, random_.pick(reduction), position})) state_ = before;
  }

  void cacheReads(int id) {
    CacheReadStep cache{id, "shared", {}};
    for (int reader = id + 1; reader < state_.stageCount(); ++reader) {
      CacheReadStep one{id, "shared", {reader}};
      State next = state_;
      try {
        next.apply(one);
      } catch (const IllegalSchedule&) {
        continue;
      }
      if (chance(0.8)) cache.readers.push_back(reader);
    }
    attempt(cache);
  }

  void restructure(int id) {
    if (!hasLoops(id)) return;
    for (int n = below(5); n > 0; --n) {
      int at = below(loops(id));
      const Iterator& it = state_.stage(id).iterators[static_cast<std::size_t>(at)];
      if (!it.extent) continue;
      if (!splits_.empty() && chance(0.2)) {
        int parts = 1 + below(2);
        attempt(FollowSplitStep{id, at, splits_[random_.below(splits_.size())], parts});
        continue;
      }
      if (!splits_.empty() && chance(0.1)) {
        FollowFusedSplitStep follow{id, at, {}, 0, chance(0.8)};
        for (int n = 1 + below(2); n > 0; --n)
          follow.sourceSteps.push_back(random_.pick(splits_));
        attempt(follow);
        continue;
      }
      SplitStep split{id, at, it.extent, {}, chance(0.8)};
      for (int parts = 1 + below(2); parts > 0; --parts)
        split.factors.push_back(factorOf(*it.extent));
      if (attempt(split)) splits_.push_back(static_cast<int>(state_.steps().size()) - 1);
    }
    if (chance(0.25)) fuseSome(id);
    if (chance(0.8)) {
      ReorderStep reorder{id, {}};
      for (std::size_t i = 0; i < loops(id); ++i)
        reorder.order.push_back(static_cast<int>(i));
      // A few swaps rather than a shuffle: tiled orders are as likely as wild ones.
      for (int n = below(2 * loops(id) + 1); n > 0; --n)
        std::swap(reorder.order[random_.below(loops(id))], reorder.order[random_.below(loops(id))]);
      attempt(reorder);
    }
  }

  /// Mostly a divisor, sometimes anything.
  std::int64_t factorOf(std::int64_t extent) {
    std::int64_t factor = 1 + static_cast<std::int64_t>(random_.below(
                                  static_cast<std::uint64_t>(std::min<std::int64_t>(extent, 16))));
    if (chance(0.6))
      while (extent % factor != 0)
        --factor;
    return factor;
  }

  void fuseSome(int id) {
    if (loops(id) < 2) return;
    int first = below(loops(id) - 1);
    attempt(FuseStep{id, {first, first + 1}});
  }

  void computeSomewhere(int id) {
    if (!hasLoops(id)) return;
    for (int n = 0; n < 4; ++n) {
      int target = id + 1 + below(static_cast<std::size_t>(state_.stageCount() - id));
      if (target >= state_.stageCount() || !hasLoops(target)) continue;
      if (attempt(ComputeAtStep{id, target, below(loops(target))})) return;
    }
  }

  void annotate(int id) {
    const int last = static_cast<int>(loops(id)) - 1;
    if (chance(0.2)) attempt(StorageAlignStep{id, below(loops(id)), 1 + below(20), below(20)});
    if (chance(0.5))
      attempt(AnnotationStep{id, chance(0.7) ? 0 : below(loops(id)), Annotation::Parallel});
    if (chance(0.6))
      attempt(AnnotationStep{id, chance(0.7) ? last : below(loops(id)), Annotation::Vectorize});
    if (chance(0.4)) attempt(AnnotationStep{id, below(loops(id)), Annotation::Unroll});
    static const std::vector<int> steps = {0, 16, 64, 512};
    if (chance(0.5))
      attempt(PragmaStep{id, 0, fmt::format("auto_unroll_max_step${}", random_.pick(steps))});
  }

  State state_;
  Random& random_;
  std::vector<int> splits_; // indices of split steps
};

} // namespace

State randomProgram(const ComputeDag& dag, Random& random) {
  return Generator(dag, random).generate();
}

} // namespace nestwright
