#include "core/logs/fast_steps.h"

namespace nestwright {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;

// The bounds of stepsFromJson().
constexpr std::int64_t kMostIndex = 1'000'000;
constexpr std::int64_t kMostSize = std::int64_t{1} << 40;

/// Takes the items of one step in turn; all calls fail after the first that did.
class Items {
 public:
  explicit Items(array step) : at_(step.begin()), end_(step.end()) {}

  bool text(std::string& value) {
    std::string_view view;
    if (!next() || item_.get(view) != simdjson::SUCCESS) return fail();
    value = view;
    return true;
  }
  bool view(std::string_view& value) {
    return next() && item_.get(value) == simdjson::SUCCESS ? true : fail();
  }
  bool index(int& value) {
    std::int64_t number = 0;
    if (!integer(0, kMostIndex, number)) return false;
    value = int(number);
    return true;
  }
  bool flag(bool& value) {
    std::int64_t number = 0;
    if (!integer(0, 1, number)) return false;
    value = number != 0;
    return true;
  }
  bool annotation(Annotation& value) {
    std::int64_t number = 0;
    if (!integer(0, int(Annotation::Tensorize), number)) return false;
    value = Annotation(number);
    return true;
  }
  bool extent(TileSize& value) {
    std::int64_t number = 0;
    if (!integer(0, kMostSize, number)) return false;
    value = number == 0 ? TileSize() : TileSize(number);
    return true;
  }
  bool indices(std::vector<int>& values) {
    return list(0, kMostIndex, [&](std::int64_t number) { values.push_back(int(number)); });
  }
  bool sizes(std::vector<TileSize>& values) {
    return list(1, kMostSize, [&](std::int64_t number) { values.emplace_back(number); });
  }
  /// Whether all items were taken.
  bool end() const { return !failed_ && !(at_ != end_); }

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  bool next() {
    if (failed_ || !(at_ != end_)) return fail();
    item_ = *at_;
    ++at_;
    return true;
  }
  bool integer(std::int64_t least, std::int64_t most, std::int64_t& value) {
    if (!next() || item_.get(value) != simdjson::SUCCESS) return fail();
    return value >= least && value <= most ? true : fail();
  }
  template <class F>
  bool list(std::int64_t least, std::int64_t most, const F& take) {
    array numbers;
    if (!next() || item_.get(numbers) != simdjson::SUCCESS) return fail();
    for (const element number : numbers) {
      std::int64_t value = 0;
      if (number.get(value) != simdjson::SUCCESS || value < least || value > most) return fail();
      take(value);
    }
    return true;
  }

  array::iterator at_, end_;
  element item_;
  bool failed_ = false;
};

/// Fields in the order of the public format.
bool fields(Items& in, AnnotationStep& s) {
  return in.index(s.stage) && in.index(s.iterator) && in.annotation(s.annotation);
}
bool fields(Items& in, FuseStep& s) {
  return in.index(s.stage) && in.indices(s.iterators);
}
bool fields(Items& in, PragmaStep& s) {
  return in.index(s.stage) && in.index(s.iterator) && in.text(s.pragma);
}
bool fields(Items& in, ReorderStep& s) {
  return in.index(s.stage) && in.indices(s.order);
}
bool fields(Items& in, SplitStep& s) {
  return in.index(s.stage) && in.index(s.iterator) && in.extent(s.extent) && in.sizes(s.factors) &&
         in.flag(s.innerToOuter);
}
bool fields(Items& in, FollowSplitStep& s) {
  return in.index(s.stage) && in.index(s.iterator) && in.index(s.sourceStep) && in.index(s.parts);
}
bool fields(Items& in, FollowFusedSplitStep& s) {
  return in.index(s.stage) && in.index(s.iterator) && in.indices(s.sourceSteps) &&
         in.index(s.level) && in.flag(s.byFactor);
}
bool fields(Items& in, StorageAlignStep& s) {
  return in.index(s.stage) && in.index(s.iterator) && in.index(s.factor) && in.index(s.offset);
}
bool fields(Items& in, ComputeAtStep& s) {
  return in.index(s.stage) && in.index(s.targetStage) && in.index(s.targetIterator);
}
bool fields(Items& in, ComputeInlineStep& s) {
  return in.index(s.stage);
}
bool fields(Items& in, ComputeRootStep& s) {
  return in.index(s.stage);
}
bool fields(Items& in, CacheReadStep& s) {
  return in.index(s.stage) && in.text(s.scope) && in.indices(s.readers);
}
bool fields(Items& in, CacheWriteStep& s) {
  return in.index(s.stage) && in.text(s.scope);
}
bool fields(Items& in, RfactorStep& s) {
  return in.index(s.stage) && in.index(s.iterator) && in.index(s.factorIterator);
}

/// The step of the kind with this tag, trying the alternatives from number `I` on.
template <std::size_t I = 0>
bool readStep(std::string_view kind, Items& in, Steps& steps) {
  if constexpr (I == std::variant_size_v<Step>) {
    return false;
  } else {
    using S = std::variant_alternative_t<I, Step>;
    static const std::string kTag = tag(S{});
    if (kind != kTag) return readStep<I + 1>(kind, in, steps);
    S step{};
    if (!fields(in, step) || !in.end()) return false;
    steps.emplace_back(std::move(step));
    return true;
  }
}

} // namespace

bool readSteps(array list, Steps& steps) {
  steps.clear();
  for (const element item : list) {
    array step;
    if (item.get(step) != simdjson::SUCCESS) return false;
    Items in(step);
    std::string_view kind;
    if (!in.view(kind) || !readStep(kind, in, steps)) return false;
  }
  return true;
}

} // namespace nestwright
