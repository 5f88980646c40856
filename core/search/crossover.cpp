#include "core/search/crossover.h"

#include "core/search/mutation.h"
#include "core/space/state_facts.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>

namespace nestwright {

namespace {

int stageNamed(const State& state, const std::string& name) {
  for (int i = 0; i < state.stageCount(); ++i)
    if (state.stage(i).name() == name) return i;
  return -1;
}

/// Replays a parent step by step, so that the numbers in its steps can be read as names.
struct Cursor {
  explicit Cursor(const State& of) : parent(&of), now(of.originalDag()) {}

  bool atEnd() const { return next == parent->steps().size(); }
  const Step& step() const { return parent->steps()[next]; }
  void advance() {
    stageNames.push_back(now.stage(stageOf(step())).name());
    stagesAdded += addsStage(step());
    now.apply(step());
    ++next;
  }

  const State* parent;
  State now; // before `next`
  std::size_t next = 0;
  int stagesAdded = 0;
  std::vector<std::string> stageNames; // of the steps made
};

/// The child under construction: its state and the stage that each of its steps acted on.
struct Child {
  State state;
  std::vector<std::string> stageNames;
  std::vector<int> origins;
};

/// The stage whose node's owner decides about the step: attaching belongs to where it leads.
std::string decider(const Cursor& cursor) {
  if (const auto* at = std::get_if<ComputeAtStep>(&cursor.step()))
    return cursor.now.stage(at->targetStage).name();
  return cursor.now.stage(stageOf(cursor.step())).name();
}

/// Index in the child of the split that corresponds to split `source` of the parent: the same count
/// among the splits of the same stage. -1 when there is none.
int correspondingSplit(const Cursor& cursor, const Child& child, int source) {
  const std::string& stage = cursor.stageNames[static_cast<std::size_t>(source)];
  int ordinal = 0;
  for (int i = 0; i < source; ++i)
    ordinal +=
        cursor.stageNames[static_cast<std::size_t>(i)] == stage &&
        std::holds_alternative<SplitStep>(cursor.parent->steps()[static_cast<std::size_t>(i)]);
  const Steps& steps = child.state.steps();
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (child.stageNames[i] == stage && std::holds_alternative<SplitStep>(steps[i]) &&
        ordinal-- == 0)
      return static_cast<int>(i);
  return -1;
}

int iteratorNamed(const Stage& stage, const std::string& name) {
  for (std::size_t i = 0; i < stage.iterators.size(); ++i)
    if (stage.iterators[i].name == name) return static_cast<int>(i);
  return -1;
}

/// A step that cannot be made in the child, with the reason as its text.
class NotTranslatable : public Error {
 public:
  using Error::Error;
};

int requireStage(const Child& child, const std::string& name) {
  const int stage = stageNamed(child.state, name);
  if (stage < 0)
    throw NotTranslatable(fmt::format("one parent acts on a stage {} that the other's steps do not "
                                      "make",
                                      name));
  return stage;
}

/// The splits that all threads of a block follow when they fetch together: those of the tiles that
/// the fetched data is for, as the child has them.
std::vector<int> followedTiles(const Child& child, int stage, std::size_t count) {
  const std::optional<AttachPoint> point = child.state.attachPoint(stage);
  std::vector<int> splits =
      point ? spatialSplitSteps(child.state, point->stage) : std::vector<int>();
  if (splits.size() != count)
    throw NotTranslatable(fmt::format("{} is fetched for {} in one parent and for {} in "
                                      "the other",
                                      child.state.stage(stage).name(),
                                      quantity(std::int64_t(count), "split loop"), splits.size()));
  return splits;
}

/// The parent's next step in the child's numbering. Throws NotTranslatable when something it names
/// is not there.
Step translated(const Cursor& cursor, const Child& child) {
  Step step = cursor.step();
  const int stage = requireStage(child, cursor.now.stage(stageOf(step)).name());
  std::visit([&](auto& s) { s.stage = stage; }, step);
  if (auto* at = std::get_if<ComputeAtStep>(&step)) {
    const Stage& target = cursor.now.stage(at->targetStage);
    const std::string& loop = target.iterators[static_cast<std::size_t>(at->targetIterator)].name;
    at->targetStage = requireStage(child, target.name());
    at->targetIterator = iteratorNamed(child.state.stage(at->targetStage), loop);
    if (at->targetIterator < 0)
      throw NotTranslatable(fmt::format("one parent computes inside loop {} of {}, which the other "
                                        "does not have",
                                        loop, target.name()));
  } else if (auto* follow = std::get_if<FollowSplitStep>(&step)) {
    follow->sourceStep = correspondingSplit(cursor, child, follow->sourceStep);
    if (follow->sourceStep < 0)
      throw NotTranslatable(fmt::format("a split of {} follows one that the other parent does not "
                                        "make",
                                        child.state.stage(stage).name()));
  } else if (auto* cache = std::get_if<CacheReadStep>(&step)) {
    for (int& reader : cache->readers)
      reader = requireStage(child, cursor.now.stage(reader).name());
  } else if (auto* fused = std::get_if<FollowFusedSplitStep>(&step)) {
    fused->sourceSteps = followedTiles(child, stage, fused->sourceSteps.size());
  }
  return step;
}

bool sameStages(const State& a, const State& b) {
  if (a.stageCount() != b.stageCount()) return false;
  for (int i = 0; i < a.stageCount(); ++i)
    if (a.stage(i).name() != b.stage(i).name()) return false;
  return true;
}

/// The parent that decides about the cursor's next step; nothing when nobody does.
std::optional<int> ownerOf(const Cursor& cursor, const StageOwners& owners) {
  const std::string stage = decider(cursor);
  if (const auto owner = owners.find(nodeOf(stage)); owner != owners.end()) return owner->second;
  // Both parents read the inputs through the same copies.
  const bool isInput = cursor.now.stage(stageNamed(cursor.now, stage)).isPlaceholder();
  return isInput ? std::optional(0) : std::nullopt;
}

/// Makes one step of a parent, in the child too when the child takes it.
void takeStep(Cursor& cursor, int parent, const StageOwners& owners, Child& child) {
  if (ownerOf(cursor, owners) == parent) {
    const Step step = translated(cursor, child);
    const int stage = stageOf(step);
    const auto* annotation = std::get_if<AnnotationStep>(&step);
    const bool nested = annotation && annotation->annotation == Annotation::Parallel &&
                        child.state.stage(stage).location != ComputeLocation::Root;
    if (!nested) {
      child.stageNames.push_back(child.state.stage(stage).name());
      child.origins.push_back(parent);
      child.state.apply(step);
    }
  }
  cursor.advance();
}

} // namespace

std::string nodeOf(const std::string& stage) {
  for (const std::string_view ending : {".rf", ".repl"})
    if (stage.ends_with(ending)) return stage.substr(0, stage.size() - ending.size());
  return stage;
}

std::vector<std::string> nodesOf(const State& program) {
  std::vector<std::string> nodes;
  for (int i = 0; i < program.stageCount(); ++i) {
    if (program.stage(i).isPlaceholder()) continue;
    std::string node = nodeOf(program.stage(i).name());
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(std::move(node));
  }
  return nodes;
}

StageOwners drawOwners(const std::vector<std::string>& nodes,
                       const std::map<std::string, double>& first,
                       const std::map<std::string, double>& second, Random& random) {
  const auto scoreIn = [](const std::map<std::string, double>& scores, const std::string& node) {
    const auto found = scores.find(node);
    return found == scores.end() ? 0.0 : found->second;
  };
  StageOwners owners;
  for (const std::string& node : nodes) {
    const double difference = scoreIn(first, node) - scoreIn(second, node);
    owners[node] = difference > 0 ? 0 : difference < 0 ? 1 : static_cast<int>(random.below(2));
  }
  if (nodes.size() > 1) {
    int& turned = owners[random.pick(nodes)];
    turned = 1 - turned;
  }
  return owners;
}

CrossoverResult tryCrossover(const State& first, const State& second, const StageOwners& owners,
                             const SpaceOptions& options) {
  std::set<int> used;
  for (const auto& [stage, owner] : owners)
    used.insert(owner);
  if (used.size() < 2) return {std::nullopt, "all nodes come from the same parent", {}};
  if (!sameStages(first, second))
    return {std::nullopt, "the parents come from sketches with different stages", {}};
  std::array<Cursor, 2> cursors{Cursor(first), Cursor(second)};
  Child child{State(first.originalDag()), {}, {}};
  try {
    while (!cursors[0].atEnd() || !cursors[1].atEnd()) {
      // The parent that has added fewer stages goes first, so that names exist when they are
      // needed.
      const auto key = [&](int i) {
        return std::make_tuple(cursors[i].atEnd(), cursors[i].stagesAdded, cursors[i].next);
      };
      const int parent = key(1) < key(0) ? 1 : 0;
      takeStep(cursors[parent], parent, owners, child);
    }
    std::string reason;
    std::optional<State> legal =
        legalProgram(first.originalDag(), child.state.steps(), options, &reason);
    return {std::move(legal), std::move(reason), std::move(child.origins)};
  } catch (const NotTranslatable& e) {
    return {std::nullopt, e.what(), {}};
  } catch (const IllegalSchedule& e) {
    return {std::nullopt, e.what(), {}};
  }
}

std::optional<State> crossover(const State& first, const State& second, const StageOwners& owners,
                               const SpaceOptions& options) {
  return tryCrossover(first, second, owners, options).child;
}

} // namespace nestwright
