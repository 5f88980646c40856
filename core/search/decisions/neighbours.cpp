#include "core/search/decisions/neighbours.h"

#include "core/schedule/bounds.h"
#include "core/schedule/pragma.h"
#include "core/search/decisions/decision_moves.h"
#include "core/search/decisions/program_decisions.h"
#include "core/search/decisions/sketch_decisions.h"
#include "core/search/mutation.h"
#include "core/space/choices.h"
#include "core/space/kernel_decisions.h"
#include "core/space/sketch_of.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace nestwright {

namespace {

constexpr NameTable<DecisionKind, 8> kDecisionNames = {{"tile size", "tile pair", "unroll",
                                                        "parallel", "vectorize", "compute location",
                                                        "kernel", "sketch"}};

/// Programs of each other sketch: what it does not have in common with this one is drawn.
constexpr int kDrawsOfASketch = 4;

/// A split with the names that it has where it stands.
struct NamedSplit {
  std::size_t step = 0;
  std::string loop, stage;
  bool isReduction = false;
  std::vector<std::int64_t> sizes, limits;
};

std::string sizesText(const std::vector<std::int64_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, " · "));
}

class Neighbours {
 public:
  Neighbours(const State& program, const SpaceOptions& options, std::span<const Sketch> sketches)
      : program_(program), options_(options), sketches_(sketches), steps_(program.steps()),
        id_(programId(program.originalDag(), steps_)), splits_(namedSplits()), seen_{id_} {}

  std::vector<Neighbour> all() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      addTiles(i);
      addUnroll(i);
      addLocation(i);
      addVector(i);
    }
    for (std::size_t a = 0; a < splits_.size(); ++a)
      for (std::size_t b = 0; b < splits_.size(); ++b)
        if (a != b) addPair(splits_[a], splits_[b]);
    for (const ParallelMark& mark : parallelMarks(steps_))
      addParallel(mark);
    addBySketches();
    if (options_.target.gpu) addKernel();
    return std::move(found_);
  }

 private:
  std::vector<NamedSplit> namedSplits() const {
    std::vector<NamedSplit> splits;
    State before(program_.originalDag());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (const auto* split = std::get_if<SplitStep>(&steps_[i]))
        if (std::vector<std::int64_t> sizes = partSizes(steps_, i); !sizes.empty()) {
          const Stage& stage = before.stage(split->stage);
          const Iterator& loop = stage.iterators[std::size_t(split->iterator)];
          std::vector<std::int64_t> limits = partLimits(program_, i, sizes.size(), options_);
          splits.push_back({i, loop.name, stage.name(), loop.isReduction(), std::move(sizes),
                            std::move(limits)});
        }
      before.apply(steps_[i]);
    }
    return splits;
  }

  void add(DecisionKind kind, std::string decision, std::string change, const Steps& steps) {
    std::string id = programId(program_.originalDag(), steps);
    if (!seen_.insert(id).second) return;
    if (std::optional<State> program = legalProgram(program_.originalDag(), steps, options_))
      found_.push_back(
          {kind, std::move(decision), std::move(change), std::move(*program), std::move(id)});
  }

  Steps with(std::size_t at, Step step) const {
    Steps steps = steps_;
    steps[at] = std::move(step);
    return steps;
  }

  void addTiles(std::size_t at) {
    const auto split = std::ranges::find(splits_, at, &NamedSplit::step);
    if (split == splits_.end()) return;
    for (const std::vector<std::int64_t>& sizes : primeMoves(split->sizes, split->limits))
      add(DecisionKind::TileSize, decisionName(DecisionKind::TileSize, split->stage, split->loop),
          fmt::format("{} becomes {}", sizesText(split->sizes), sizesText(sizes)),
          with(at, withPartSizes(std::get<SplitStep>(steps_[at]), sizes)));
  }

  /// The sizes with a factor of the innermost loop taken from the next one outside that has it, or
  /// given to the next one; nothing where that cannot be.
  static std::optional<std::vector<std::int64_t>> movedInward(const NamedSplit& split,
                                                              std::int64_t prime) {
    std::vector<std::int64_t> sizes = split.sizes;
    for (std::size_t from = sizes.size() - 1; from-- > 0;)
      if (sizes[from] % prime == 0 && split.limits[from] != 0 &&
          sizes.back() * prime <= split.limits.back()) {
        sizes[from] /= prime;
        sizes.back() *= prime;
        return sizes;
      }
    return std::nullopt;
  }
  static std::optional<std::vector<std::int64_t>> movedOutward(const NamedSplit& split,
                                                               std::int64_t prime) {
    std::vector<std::int64_t> sizes = split.sizes;
    const std::size_t to = sizes.size() - 2;
    if (sizes.back() % prime != 0 || split.limits.back() == 0 ||
        sizes[to] * prime > split.limits[to])
      return std::nullopt;
    sizes.back() /= prime;
    sizes[to] *= prime;
    return sizes;
  }

  /// The tile in registers keeps its size and gets another shape: alone, each half of it would
  /// spill registers or leave them empty.
  void addPair(const NamedSplit& longer, const NamedSplit& shorter) {
    if (longer.stage != shorter.stage || longer.isReduction || shorter.isReduction) return;
    if (longer.sizes.size() < 2 || shorter.sizes.size() < 2) return;
    for (const std::int64_t prime : {2, 3, 5, 7}) {
      const auto in = movedInward(longer, prime), out = movedOutward(shorter, prime);
      if (!in || !out) continue;
      Steps steps = steps_;
      steps[longer.step] = withPartSizes(std::get<SplitStep>(steps_[longer.step]), *in);
      steps[shorter.step] = withPartSizes(std::get<SplitStep>(steps_[shorter.step]), *out);
      add(DecisionKind::TilePair,
          fmt::format("inner tiles of {} and {} of {}", std::min(longer.loop, shorter.loop),
                      std::max(longer.loop, shorter.loop), longer.stage),
          fmt::format("{} of {} becomes {}, {} of {} becomes {}", sizesText(longer.sizes),
                      longer.loop, sizesText(*in), sizesText(shorter.sizes), shorter.loop,
                      sizesText(*out)),
          steps);
    }
  }

  std::string stageName(std::size_t step) const {
    const State before =
        State::replay(program_.originalDag(),
                      Steps(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(step)));
    return before.stage(stageOf(steps_[step])).name();
  }

  void addUnroll(std::size_t at) {
    const auto* pragma = std::get_if<PragmaStep>(&steps_[at]);
    const PragmaKind* kind = pragma ? pragmaKindOf(pragma->pragma) : nullptr;
    if (kind == nullptr || kind->pragma != Pragma::AutoUnroll) return;
    const std::int64_t now = pragmaNumber(*kind, pragma->pragma).value_or(0);
    for (const std::int64_t limit : options_.unrollSteps) {
      PragmaStep changed = *pragma;
      changed.pragma = pragmaText(Pragma::AutoUnroll, limit);
      add(DecisionKind::Unroll, decisionName(DecisionKind::Unroll, stageName(at)),
          fmt::format("{} becomes {}", now, limit), with(at, changed));
    }
  }

  void addLocation(std::size_t at) {
    const auto* step = std::get_if<ComputeAtStep>(&steps_[at]);
    if (step == nullptr) return;
    for (const AttachPoint& point : attachPoints(program_, at, options_))
      add(DecisionKind::ComputeLocation, decisionName(DecisionKind::ComputeLocation, stageName(at)),
          fmt::format("inside loop {} of stage {} becomes {} of {}", step->targetIterator,
                      step->targetStage, point.iterator, point.stage),
          with(at, ComputeAtStep{step->stage, point.stage, point.iterator}));
  }

  /// What other steps follow from: made by the names of the program's decisions.
  void addBySketches() {
    const int own = sketchOf(sketches_, steps_);
    if (own < 0) return;
    const Sketch& sketch = sketches_[static_cast<std::size_t>(own)];
    const DecisionValues values = decisionValues(sketch, options_, steps_);
    if (options_.movesStages) addPlaces(sketch, values);
    for (int other = 0; std::cmp_less(other, sketches_.size()); ++other)
      if (other != own) addSketch(own, other, values);
  }

  /// Root and the readers, which are no loops. Only of a program that its decisions give again:
  /// else more than the place would change.
  void addPlaces(const Sketch& sketch, const DecisionValues& values) {
    const SampledProgram same = decided(sketch, values, "itself");
    if (!same.state || programId(program_.originalDag(), same.state->steps()) != id_) return;
    for (const SketchDecision& decision : sketchDecisions(sketch, options_)) {
      if (decision.kind != DecisionKind::ComputeLocation) continue;
      const auto now = values.find(decision.name);
      if (now == values.end()) continue;
      for (const std::string& place : decision.places)
        addPlace(sketch, values, decision, std::get<std::string>(now->second), place);
    }
  }

  void addPlace(const Sketch& sketch, DecisionValues values, const SketchDecision& decision,
                const std::string& now, const std::string& place) {
    const auto isLoop = [](const std::string& where) {
      return where != kAtRoot && where != kInlined;
    };
    if (place == now || (isLoop(place) && isLoop(now))) return; // addLocation() has those
    values[decision.name] = place;
    for (const DecisionKind kind : {DecisionKind::Parallel, DecisionKind::Vectorize})
      values.erase(decisionName(kind, decision.stage));
    const SampledProgram program = decided(sketch, values, place);
    if (program.state)
      add(DecisionKind::ComputeLocation, decision.name, fmt::format("{} becomes {}", now, place),
          program.state->steps());
  }

  void addSketch(int from, int to, const DecisionValues& values) {
    const Sketch& sketch = sketches_[static_cast<std::size_t>(to)];
    DecisionValues common;
    for (const SketchDecision& decision : sketchDecisions(sketch, options_))
      if (const auto value = values.find(decision.name);
          value != values.end() && canBe(decision, value->second))
        common.insert(*value);
    for (int draw = 0; draw < kDrawsOfASketch; ++draw)
      if (const SampledProgram program =
              decided(sketch, common, fmt::format("sketch {} {}", to, draw));
          program.state)
        add(DecisionKind::Sketch, kSketchDecision, fmt::format("{} becomes {}", from + 1, to + 1),
            program.state->steps());
  }

  static bool canBe(const SketchDecision& decision, const DecisionValue& value) {
    if (const auto* parts = std::get_if<std::vector<std::int64_t>>(&value))
      return parts->size() == decision.parts.size() &&
             std::ranges::equal(*parts, decision.parts, [](std::int64_t size, TileSize decided) {
               return !decided || *decided == size;
             });
    if (const auto* place = std::get_if<std::string>(&value))
      return std::ranges::find(decision.places, *place) != decision.places.end();
    return std::ranges::find(decision.values, std::get<std::int64_t>(value)) !=
           decision.values.end();
  }

  /// What `values` leave open is drawn, always the same for this program and what is decided.
  SampledProgram decided(const Sketch& sketch, const DecisionValues& values,
                         std::string_view what) const {
    Random random = Random::stream(hash64(id_), what, 0);
    return decidedProgram(sketch, options_, values, random);
  }

  void addParallel(const ParallelMark& mark) {
    for (int loops = 1, most = joinableLoops(program_, mark); loops <= most; ++loops)
      if (const std::optional<Steps> steps = withParallelLoops(steps_, mark, loops))
        add(DecisionKind::Parallel, decisionName(DecisionKind::Parallel, stageName(mark.step)),
            fmt::format("{} becomes {}", mark.loops, loops), *steps);
  }

  /// Another number of inner loops, none included, in the place of a vector of joined ones.
  void addVector(std::size_t at) {
    const auto* vector = std::get_if<AnnotationStep>(&steps_[at]);
    if (vector == nullptr || vector->annotation != Annotation::Vectorize || options_.target.gpu)
      return;
    const int stage = vector->stage;
    const auto* fuse = at > 0 ? std::get_if<FuseStep>(&steps_[at - 1]) : nullptr;
    const bool fused = fuse != nullptr && fuse->stage == stage && !fuse->iterators.empty() &&
                       fuse->iterators.front() == vector->iterator;
    const int now = fused ? static_cast<int>(fuse->iterators.size()) : 1;
    for (std::size_t i = at + 1; i < steps_.size(); ++i)
      if (stageOf(steps_[i]) == stage) return; // it counts on the loops as they are
    const Steps before(steps_.begin(),
                       steps_.begin() + static_cast<std::ptrdiff_t>(at - (fused ? 1 : 0)));
    const Steps behind(steps_.begin() + static_cast<std::ptrdiff_t>(at) + 1, steps_.end());
    const State state = withBounds(State::replay(program_.originalDag(), before));
    const std::vector<Iterator>& loops = state.stage(stage).iterators;
    std::int64_t elements = 1;
    for (int count = 0; count <= static_cast<int>(loops.size()); ++count) {
      const int first = static_cast<int>(loops.size()) - count;
      if (count > 0) {
        const Iterator& loop = loops[std::size_t(first)];
        elements *= loop.extent.value_or(0);
        if (loop.isReduction() || loop.annotation != Annotation::None ||
            state.hasAttachedAt({stage, first}) || elements < 1 ||
            elements > options_.maxVectorElements)
          break;
      }
      Steps steps = before;
      if (count > 1) {
        FuseStep joined{stage, std::vector<int>(std::size_t(count))};
        std::iota(joined.iterators.begin(), joined.iterators.end(), first);
        steps.emplace_back(std::move(joined));
      }
      if (count > 0) steps.emplace_back(AnnotationStep{stage, first, Annotation::Vectorize});
      steps.insert(steps.end(), behind.begin(), behind.end());
      add(DecisionKind::Vectorize, decisionName(DecisionKind::Vectorize, state.stage(stage).name()),
          fmt::format("{} becomes {}", quantity(now, "loop"), count), steps);
    }
  }

  void addKernel() {
    for (const KernelDecision& decision :
         kernelDecisions(program_, inferBounds(program_), options_))
      for (const std::int64_t choice : decision.choices)
        add(DecisionKind::Kernel,
            fmt::format("kernel of {}, decision {}.{}", program_.stage(decision.stage).name(),
                        int(decision.kind), decision.axis),
            fmt::format("becomes {}", choice), withChoice(steps_, decision, choice));
  }

  const State& program_;
  const SpaceOptions& options_;
  const std::span<const Sketch> sketches_;
  const Steps& steps_;
  const std::string id_;
  const std::vector<NamedSplit> splits_;
  std::set<std::string> seen_; // programIds
  std::vector<Neighbour> found_;
};

} // namespace

const char* name(DecisionKind kind) {
  return kDecisionNames.of(kind);
}

std::vector<Neighbour> neighboursOf(const State& program, const SpaceOptions& options,
                                    std::span<const Sketch> sketches) {
  try {
    return Neighbours(program, options, sketches).all();
  } catch (const IllegalSchedule& error) {
    NW_ASSERT(false, "the program is none: {}", error.what());
  }
}

} // namespace nestwright
