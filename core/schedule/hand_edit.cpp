#include "core/schedule/hand_edit.h"

#include "core/schedule/pragma.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace nestwright {

namespace {

std::vector<std::string> parts(std::string_view text) {
  std::vector<std::string> found;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (!part.empty() && part.front() == ' ')
      part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ')
      part.remove_suffix(1);
    found.emplace_back(part);
    if (comma == std::string_view::npos) return found;
    text.remove_prefix(comma + 1);
  }
}

std::int64_t number(const std::string& text, std::int64_t least) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < least)
    throw InputError(fmt::format("\"{}\" should be a whole number of at least {}", text, least));
  return value;
}

std::vector<std::string> annotationNames() {
  std::vector<std::string> names{"none"};
  for (const Annotation annotation : kHandAnnotations)
    if (annotation != Annotation::None) names.emplace_back(keyword(annotation));
  return names;
}

std::string annotationName(Annotation annotation) {
  return annotation == Annotation::None ? "none" : keyword(annotation);
}

/// The value of one step, and what it means; empty for steps that have none to change.
class Describe {
 public:
  Describe(const State& before, EditableStep& row) : before_(before), row_(row) {}

  bool operator()(const SplitStep& step) const {
    std::vector<std::string> sizes;
    for (const TileSize& factor : step.factors)
      sizes.push_back(sizeText(factor));
    row_.value = fmt::format("{}", fmt::join(sizes, ", "));
    row_.meaning =
        step.innerToOuter
            ? "Sizes of the inner parts, outermost first; the outermost part takes what is left."
            : "Sizes of the outer parts, outermost first; the innermost part takes what is left.";
    return true;
  }
  bool operator()(const ReorderStep& step) const {
    row_.value = fmt::format("{}", fmt::join(names(step), ", "));
    row_.meaning = "The stage's loops, outermost first: each of them once.";
    return true;
  }
  bool operator()(const AnnotationStep& step) const {
    row_.value = annotationName(step.annotation);
    row_.meaning = "How the loop is executed.";
    row_.choices = annotationNames();
    return true;
  }
  bool operator()(const PragmaStep& step) const {
    const PragmaKind* const kind = pragmaKindOf(step.pragma);
    if (kind == nullptr) return false;
    row_.value = step.pragma.substr(kind->head.size());
    row_.meaning = kind->meaning;
    row_.choices.assign(kind->choices.begin(), kind->choices.end());
    if (std::ranges::find(row_.choices, row_.value) == row_.choices.end())
      row_.choices.push_back(row_.value);
    return true;
  }
  bool operator()(const auto&) const { return false; }

  std::vector<std::string> names(const ReorderStep& step) const {
    std::vector<std::string> names;
    for (const int old : step.order)
      names.push_back(before_.stage(step.stage).iterators[static_cast<std::size_t>(old)].name);
    return names;
  }

 private:
  const State& before_;
  EditableStep& row_;
};

class Change {
 public:
  Change(const State& before, std::string_view value) : before_(before), value_(value) {}

  void operator()(SplitStep& step) const {
    const std::vector<std::string> sizes = parts(value_);
    if (sizes.size() != step.factors.size())
      throw InputError(fmt::format("this split has {}, not {}; \"{}\" should be as many",
                                   quantity(std::ssize(step.factors), "size"), sizes.size(),
                                   value_));
    std::int64_t product = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      step.factors[i] = number(sizes[i], 1);
      product *= std::min<std::int64_t>(*step.factors[i], 1 << 30);
      if (step.extent && product > *step.extent)
        throw InputError(fmt::format("the sizes come to more than the loop's {}: {}",
                                     quantity(*step.extent, "iteration"), value_));
    }
  }
  void operator()(ReorderStep& step) const {
    const std::vector<Iterator>& loops = before_.stage(step.stage).iterators;
    const std::vector<std::string> names = parts(value_);
    std::vector<int> order;
    for (const std::string& name : names) {
      const auto found = std::ranges::find(loops, name, &Iterator::name);
      if (found == loops.end())
        throw InputError(fmt::format("there is no loop \"{}\" at this step", name));
      order.push_back(static_cast<int>(found - loops.begin()));
      if (std::ranges::count(order, order.back()) > 1)
        throw InputError(fmt::format("loop \"{}\" stands there twice", name));
    }
    if (order.size() != loops.size())
      throw InputError(fmt::format("only {} of the stage's {} named; each is needed once",
                                   order.size(), quantity(std::ssize(loops), "loop")));
    step.order = std::move(order);
  }
  void operator()(AnnotationStep& step) const {
    for (const Annotation annotation : kHandAnnotations)
      if (value_ == annotationName(annotation)) {
        step.annotation = annotation;
        return;
      }
    throw InputError(fmt::format("\"{}\" is no annotation; these are: {}", value_,
                                 fmt::join(annotationNames(), ", ")));
  }
  void operator()(PragmaStep& step) const {
    const PragmaKind* const kind = pragmaKindOf(step.pragma);
    if (kind == nullptr) throw InputError("this pragma has nothing that can be changed");
    step.pragma = pragmaText(kind->pragma, number(std::string(value_), kind->least));
  }
  void operator()(auto&) const { throw InputError("this step has nothing that can be changed"); }

 private:
  const State& before_;
  std::string_view value_;
};

/// Whether the step leaves the loops of the stage, and the numbers of stages, as they are.
bool leavesLoops(const Step& step, int stage) {
  if (std::holds_alternative<CacheReadStep>(step) || std::holds_alternative<CacheWriteStep>(step) ||
      std::holds_alternative<RfactorStep>(step))
    return false;
  return stageOf(step) != stage || std::holds_alternative<AnnotationStep>(step) ||
         std::holds_alternative<PragmaStep>(step) || std::holds_alternative<StorageAlignStep>(step);
}

} // namespace

std::vector<EditableStep> editableSteps(const ComputeDag& dag, const Steps& steps) {
  std::vector<EditableStep> rows;
  State state(dag);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EditableStep row;
    row.step = static_cast<int>(i);
    row.words = inWords(steps[i], state);
    const State before = state;
    try {
      state.apply(steps[i]);
    } catch (const IllegalSchedule&) {
      break;
    }
    if (std::visit(Describe(before, row), steps[i])) rows.push_back(std::move(row));
  }
  return rows;
}

Steps withValue(const ComputeDag& dag, const Steps& steps, int step, std::string_view value) {
  if (step < 0 || step >= static_cast<int>(steps.size()))
    throw InputError(fmt::format("the program has no step {}", step));
  const State before = State::replay(dag, Steps(steps.begin(), steps.begin() + step));
  Steps changed = steps;
  std::visit(Change(before, value), changed[static_cast<std::size_t>(step)]);
  return changed;
}

std::vector<EditableLoop> editableLoops(const State& state, const Bounds& bounds) {
  std::vector<EditableLoop> loops;
  for (int s = 0; s < state.stageCount(); ++s) {
    const Stage& stage = state.stage(s);
    const StageBounds& of = bounds.stages[static_cast<std::size_t>(s)];
    if (stage.isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
    for (std::size_t i = 0; i < stage.iterators.size() && i < of.extents.size(); ++i) {
      const Iterator& loop = stage.iterators[i];
      if (of.extents[i] == 1 && loop.annotation == Annotation::None) continue;
      loops.push_back({s, static_cast<int>(i), fmt::format("{}.{}", stage.name(), loop.name),
                       of.extents[i], loop.isReduction(), loop.annotation});
    }
  }
  return loops;
}

Steps withAnnotation(Steps steps, int stage, int iterator, Annotation annotation) {
  for (std::size_t i = steps.size(); i-- > 0 && leavesLoops(steps[i], stage);)
    if (auto* step = std::get_if<AnnotationStep>(&steps[i]);
        step && step->stage == stage && step->iterator == iterator) {
      step->annotation = annotation;
      return steps;
    }
  steps.push_back(AnnotationStep{stage, iterator, annotation});
  return steps;
}

std::string illegality(const ComputeDag& dag, const Steps& steps) {
  try {
    const State state = State::replay(dag, steps);
    if (!state.isConcrete()) return "some tile sizes are not decided";
    withBounds(state);
  } catch (const IllegalSchedule& problem) {
    return problem.what();
  }
  return {};
}

} // namespace nestwright
