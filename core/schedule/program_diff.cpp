#include "core/schedule/program_diff.h"

#include "core/support/error.h"
#include "core/support/overloaded.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace nestwright {

namespace {

/// Names of what a step speaks of, in the state before it; numbers where it names nothing.
class Names {
 public:
  explicit Names(const State* state) : state_(state) {}

  std::string stage(int id) const {
    return knows(id) ? state_->stage(id).name() : fmt::format("#{}", id);
  }
  std::string loop(int stage, int iterator) const {
    if (knows(stage)) {
      const auto& iterators = state_->stage(stage).iterators;
      if (iterator >= 0 && iterator < static_cast<int>(iterators.size()))
        return iterators[static_cast<std::size_t>(iterator)].name;
    }
    return fmt::format("#{}", iterator);
  }
  std::string loops(int stage, const std::vector<int>& iterators) const {
    std::string names;
    for (const int iterator : iterators)
      names += loop(stage, iterator) + ' ';
    return names;
  }

 private:
  bool knows(int id) const { return state_ && id >= 0 && id < state_->stageCount(); }
  const State* state_;
};

std::string sizes(const std::vector<TileSize>& factors) {
  std::string text;
  for (const TileSize& factor : factors)
    text += factor ? fmt::format(" {}", *factor) : " ?";
  return text;
}

/// What the step says beside its stage, with names. A step that follows others is known by them.
std::string argumentsOf(const Step& step, const Names& names,
                        const std::vector<NamedStep>& before) {
  const auto source = [&](int index) {
    return index >= 0 && index < static_cast<int>(before.size())
               ? before[static_cast<std::size_t>(index)].stage + '.' +
                     before[static_cast<std::size_t>(index)].loop
               : fmt::format("#{}", index);
  };
  return std::visit(
      Overloaded{
          [](const AnnotationStep& s) { return std::string(keyword(s.annotation)); },
          [&](const FuseStep& s) { return names.loops(s.stage, s.iterators); },
          [](const PragmaStep& s) { return s.pragma; },
          [&](const ReorderStep& s) { return names.loops(s.stage, s.order); },
          [](const SplitStep& s) {
            return fmt::format("{}{}", s.innerToOuter ? "in" : "out", sizes(s.factors));
          },
          [&](const FollowSplitStep& s) {
            return fmt::format("{} {}", source(s.sourceStep), s.parts);
          },
          [&](const FollowFusedSplitStep& s) {
            std::string text = fmt::format("{} {}", s.level, s.byFactor);
            for (const int index : s.sourceSteps)
              text += ' ' + source(index);
            return text;
          },
          [](const StorageAlignStep& s) { return fmt::format("{} {}", s.factor, s.offset); },
          [&](const ComputeAtStep& s) {
            return fmt::format("{} {}", names.stage(s.targetStage),
                               names.loop(s.targetStage, s.targetIterator));
          },
          [](const ComputeInlineStep&) { return std::string(); },
          [](const ComputeRootStep&) { return std::string(); },
          [&](const CacheReadStep& s) {
            std::string text = s.scope;
            for (const int reader : s.readers)
              text += ' ' + names.stage(reader);
            return text;
          },
          [](const CacheWriteStep& s) { return s.scope; },
          [](const RfactorStep& s) { return fmt::format("{}", s.factorIterator); },
      },
      step);
}

/// The loop that a step is about, or -1.
int loopOf(const Step& step) {
  return std::visit(
      [](const auto& s) {
        if constexpr (requires { s.iterator; })
          return s.iterator;
        else
          return -1;
      },
      step);
}

std::string extentText(const TileSize& extent) {
  return extent ? fmt::format("{}", *extent) : "unknown";
}

std::string kindText(Annotation annotation) {
  switch (annotation) {
  case Annotation::None:
    return "a plain loop";
  case Annotation::Vectorize:
    return "vectorised";
  case Annotation::Unroll:
    return "unrolled";
  case Annotation::Parallel:
    return "parallel";
  default:
    return keyword(annotation);
  }
}

std::string differencesOf(const LoopNode& a, const LoopNode& b) {
  std::vector<std::string> parts;
  if (a.kind == LoopNode::Kind::Pragma && a.text != b.text)
    parts.push_back(fmt::format("{} → {}", a.text, b.text));
  if (a.kind == LoopNode::Kind::Loop) {
    if (a.extent != b.extent)
      parts.push_back(fmt::format("extent {} → {}", extentText(a.extent), extentText(b.extent)));
    if (a.annotation != b.annotation)
      parts.push_back(fmt::format("{} → {}", kindText(a.annotation), kindText(b.annotation)));
    if (!(a.tile == b.tile))
      parts.push_back(fmt::format("tile level {} of {} → {} of {}", a.tile.level + 1, a.tile.of,
                                  b.tile.level + 1, b.tile.of));
    if (a.axes != b.axes) parts.push_back(fmt::format("over {} → {}", a.axes, b.axes));
    if (a.min != b.min) parts.push_back("begins elsewhere");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Axes have at least one name in common: a fused loop and one that it was fused from.
bool shareAxis(const std::string& a, const std::string& b) {
  for (std::size_t at = 0; at < a.size();) {
    const std::size_t end = std::min(a.find(", ", at), a.size());
    if ((", " + b + ", ").find(", " + a.substr(at, end - at) + ", ") != std::string::npos)
      return true;
    at = end + 2;
  }
  return false;
}

/// Worth of putting two lines of loop nests side by side.
int likeness(const LoopNode& a, const LoopNode& b) {
  if (a.kind != b.kind || a.owner != b.owner) return 0;
  if (a.kind == LoopNode::Kind::Statement) return 40 + (a.depth == b.depth ? 1 : 0);
  if (a.kind == LoopNode::Kind::Pragma)
    return a.text.substr(0, a.text.find(':')) == b.text.substr(0, b.text.find(':')) ? 20 : 0;
  if (!shareAxis(a.axes, b.axes)) return 0;
  int score = a.axes == b.axes ? 10 : 4;
  if (a.tile == b.tile) score += 6;
  if (a.tile.of - a.tile.level == b.tile.of - b.tile.level) score += 2; // counted from inside
  if (a.annotation == b.annotation) score += 4;
  if (a.extent == b.extent) score += 4;
  if (a.depth == b.depth) score += 1;
  return score;
}

/// Exactly when there are no differences to tell.
bool isSame(const LoopNode& a, const LoopNode& b) {
  return a.kind == b.kind && a.owner == b.owner && a.text == b.text &&
         (a.kind != LoopNode::Kind::Loop ||
          (a.extent == b.extent && a.annotation == b.annotation && a.tile == b.tile &&
           a.axes == b.axes && a.min == b.min));
}

std::string placeOf(const LoopTree& tree, int node) {
  return node < 0 ? "outermost" : "inside " + tree.nodes[static_cast<std::size_t>(node)].name;
}

/// What is inside of other loops than before: the next loops around that both sides have are no
/// pair. A loop that was put around everything moves nothing.
void markMoves(const LoopTree& left, const LoopTree& right, std::vector<LoopDiffRow>& rows) {
  std::vector<int> partner(left.nodes.size(), -1); // on the right
  std::vector<bool> hasPartner(right.nodes.size(), false);
  for (const LoopDiffRow& row : rows)
    if (row.row.left >= 0 && row.row.right >= 0) {
      partner[static_cast<std::size_t>(row.row.left)] = row.row.right;
      hasPartner[static_cast<std::size_t>(row.row.right)] = true;
    }
  for (LoopDiffRow& row : rows) {
    if (row.row.left < 0 || row.row.right < 0) continue;
    int around = left.nodes[static_cast<std::size_t>(row.row.left)].parent;
    while (around >= 0 && partner[static_cast<std::size_t>(around)] < 0)
      around = left.nodes[static_cast<std::size_t>(around)].parent;
    int other = right.nodes[static_cast<std::size_t>(row.row.right)].parent;
    while (other >= 0 && !hasPartner[static_cast<std::size_t>(other)])
      other = right.nodes[static_cast<std::size_t>(other)].parent;
    if ((around < 0 ? -1 : partner[static_cast<std::size_t>(around)]) == other) continue;
    row.row.mark = DiffMark::Changed;
    row.differences += fmt::format("{}{} → {}", row.differences.empty() ? "" : ", ",
                                   placeOf(left, around), placeOf(right, other));
  }
}

struct Counts {
  int changed = 0, left = 0, right = 0;
  void add(DiffMark mark) {
    changed += mark == DiffMark::Changed ? 1 : 0;
    left += mark == DiffMark::OnlyLeft ? 1 : 0;
    right += mark == DiffMark::OnlyRight ? 1 : 0;
  }
  std::string text(const std::string& what) const {
    std::vector<std::string> parts;
    if (changed > 0) parts.push_back(quantity(changed, what) + " changed");
    if (left > 0) parts.push_back(quantity(left, what) + " only left");
    if (right > 0) parts.push_back(quantity(right, what) + " only right");
    return parts.empty() ? "no difference" : fmt::format("{}", fmt::join(parts, ", "));
  }
};

} // namespace

std::vector<NamedStep> namedSteps(const ComputeDag& dag, const Steps& steps) {
  std::vector<NamedStep> result;
  State state(dag);
  bool legal = true;
  for (const Step& step : steps) {
    const Names names(legal ? &state : nullptr);
    NamedStep named;
    named.tag = tag(step);
    named.stage = names.stage(stageOf(step));
    if (const int loop = loopOf(step); loop >= 0) named.loop = names.loop(stageOf(step), loop);
    named.identity = fmt::format("{} {} {} {}", named.tag, named.stage, named.loop,
                                 argumentsOf(step, names, result));
    named.words = legal ? inWords(step, state) : inWords(step);
    result.push_back(std::move(named));
    try {
      if (legal) state.apply(step);
    } catch (const IllegalSchedule&) {
      legal = false;
    }
  }
  return result;
}

std::vector<DiffRow> diffSteps(const std::vector<NamedStep>& left,
                               const std::vector<NamedStep>& right) {
  const auto l = [&](int i) -> const NamedStep& { return left[static_cast<std::size_t>(i)]; };
  const auto r = [&](int i) -> const NamedStep& { return right[static_cast<std::size_t>(i)]; };
  const auto score = [&](int i, int j) {
    if (l(i).identity == r(j).identity) return 8;
    if (l(i).tag != r(j).tag || l(i).stage != r(j).stage) return 0;
    return l(i).loop == r(j).loop ? 3 : 1;
  };
  return align(static_cast<int>(left.size()), static_cast<int>(right.size()), score,
               [&](int i, int j) { return l(i).identity == r(j).identity; });
}

std::vector<LoopDiffRow> diffLoopTrees(const LoopTree& left, const LoopTree& right) {
  const int leftCount = static_cast<int>(left.nodes.size());
  const int rightCount = static_cast<int>(right.nodes.size());
  const auto l = [&](int i) -> const LoopNode& { return left.nodes[static_cast<std::size_t>(i)]; };
  const auto r = [&](int i) -> const LoopNode& { return right.nodes[static_cast<std::size_t>(i)]; };
  // Most programs that are compared differ in a few places: the rest need not be aligned.
  int begin = 0, end = 0;
  while (begin < std::min(leftCount, rightCount) && isSame(l(begin), r(begin)))
    ++begin;
  while (end < std::min(leftCount, rightCount) - begin &&
         isSame(l(leftCount - 1 - end), r(rightCount - 1 - end)))
    ++end;
  std::vector<LoopDiffRow> result;
  for (int i = 0; i < begin; ++i)
    result.push_back({{DiffMark::Same, i, i}, {}});
  const std::vector<DiffRow> rows = align(
      leftCount - begin - end, rightCount - begin - end,
      [&](int i, int j) { return likeness(l(begin + i), r(begin + j)); },
      [&](int i, int j) { return isSame(l(begin + i), r(begin + j)); });
  for (DiffRow row : rows) {
    if (row.left >= 0) row.left += begin;
    if (row.right >= 0) row.right += begin;
    result.push_back(
        {row, row.mark == DiffMark::Changed ? differencesOf(l(row.left), r(row.right)) : ""});
  }
  for (int i = end; i > 0; --i)
    result.push_back({{DiffMark::Same, leftCount - i, rightCount - i}, {}});
  markMoves(left, right, result);
  return result;
}

std::string diffSummary(const std::vector<DiffRow>& rows, const std::string& what) {
  Counts counts;
  for (const DiffRow& row : rows)
    counts.add(row.mark);
  return counts.text(what);
}

std::string diffSummary(const std::vector<LoopDiffRow>& rows, const std::string& what) {
  Counts counts;
  for (const LoopDiffRow& row : rows)
    counts.add(row.row.mark);
  return counts.text(what);
}

} // namespace nestwright
