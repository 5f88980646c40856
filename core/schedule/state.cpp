#include "core/schedule/state.h"

#include "core/schedule/illegal_step.h"
#include "core/schedule/step_applier.h"
#include "core/support/quantity.h"

#include <algorithm>

namespace nestwright {

namespace {

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

/// Iterator names may not hold the marks that splitting and fusing put into names.
std::string cleanName(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '@'; }, '_');
  replaceAll(name, "outer", "o");
  replaceAll(name, "inner", "i");
  return name;
}

} // namespace

Stage initialStage(Op op) {
  Stage stage;
  stage.iterators.reserve(op->axes.size() + op->reduceAxes.size());
  const auto append = [&](const std::vector<Axis>& axes, IteratorKind kind) {
    for (const Axis& axis : axes)
      stage.iterators.push_back(
          {cleanName(axis.name()), kind, Annotation::None, axis.extent, Expr(), stage.loopCount++});
  };
  append(op->axes, IteratorKind::Spatial);
  append(op->reduceAxes, IteratorKind::Reduction);
  stage.op = std::move(op);
  return stage;
}

State::State(ComputeDag dag) : original_(std::move(dag)), current_(original_) {
  stages_.reserve(original_.size() + 1);
  for (const Op& op : original_.ops())
    stages_.push_back(std::make_shared<Stage>(initialStage(op)));
}

State State::replay(const ComputeDag& dag, const Steps& steps) {
  State state(dag);
  state.steps_.reserve(steps.size());
  for (const Step& step : steps)
    state.apply(step);
  return state;
}

void State::apply(const Step& step) {
  try {
    std::visit(StepApplier(*this), step);
  } catch (const IllegalSchedule& error) {
    throw IllegalStep(fmt::format("step {} ({})", steps_.size(), inWords(step, *this)),
                      error.what(), static_cast<int>(steps_.size()));
  }
  steps_.push_back(step);
}

Stage& State::mutableStage(int id) {
  if (stages_[id].use_count() > 1) stages_[id] = std::make_shared<Stage>(*stages_[id]);
  return *stages_[id];
}

std::optional<AttachPoint> State::attachPoint(int stage) const {
  for (const Attachment& attachment : attachments_)
    if (attachment.stage == stage) return attachment.point;
  return std::nullopt;
}

std::vector<int> State::attachedAt(AttachPoint point) const {
  std::vector<int> result;
  for (const Attachment& attachment : attachments_)
    if (attachment.point == point) result.push_back(attachment.stage);
  return result;
}

bool State::hasAttachedAt(AttachPoint point) const {
  return std::any_of(attachments_.begin(), attachments_.end(),
                     [&](const Attachment& attachment) { return attachment.point == point; });
}

bool State::isConcrete() const {
  return std::all_of(steps_.begin(), steps_.end(), [](const Step& step) {
    const auto* split = std::get_if<SplitStep>(&step);
    return split == nullptr || std::all_of(split->factors.begin(), split->factors.end(),
                                           [](const TileSize& size) { return size.has_value(); });
  });
}

State State::withRanges(const std::vector<std::vector<std::pair<Expr, TileSize>>>& ranges) const {
  NW_ASSERT(ranges.size() == stages_.size(), "ranges of {} stages given for {}", ranges.size(),
            stages_.size());
  State result = *this;
  for (int id = 0; id < stageCount(); ++id) {
    if (ranges[id].empty()) continue;
    std::vector<Iterator>& iterators = result.mutableStage(id).iterators;
    NW_ASSERT(ranges[id].size() == iterators.size(), "{} ranges given for {} iterators of {}",
              ranges[id].size(), iterators.size(), stage(id).name());
    for (std::size_t i = 0; i < iterators.size(); ++i) {
      iterators[i].min = ranges[id][i].first;
      iterators[i].extent = ranges[id][i].second;
    }
  }
  return result;
}

const Stage& StepApplier::computeStage(int id) const {
  if (id < 0 || id >= state_.stageCount())
    refuse("there is no stage {}; the program has {}", id, quantity(state_.stageCount(), "stage"));
  const Stage& stage = state_.stage(id);
  if (stage.isPlaceholder()) refuse("{} is an input and has no loops", stage.name());
  return stage;
}

const Stage& StepApplier::loopStage(int id) const {
  const Stage& stage = computeStage(id);
  if (stage.location == ComputeLocation::Inlined)
    refuse("{} is inlined and has no loops of its own", stage.name());
  return stage;
}

const Iterator& StepApplier::iterator(int stage, int id) const {
  const std::vector<Iterator>& iterators = state_.stage(stage).iterators;
  if (id < 0 || id >= static_cast<int>(iterators.size()))
    refuse("{} has no loop {}; it has {}", state_.stage(stage).name(), id,
           quantity(std::ssize(iterators), "loop"));
  return iterators[id];
}

const Iterator& StepApplier::plainIterator(int stage, int id) const {
  const Iterator& found = iterator(stage, id);
  if (found.annotation != Annotation::None)
    refuse("loop {} of {} is already annotated \"{}\"", found.name, state_.stage(stage).name(),
           keyword(found.annotation));
  return found;
}

namespace {

bool readsBuffer(const Expr& e, const Buffer& buffer) {
  if (e->kind == ExprKind::Load && e->buffer.get() == buffer.get()) return true;
  return std::any_of(e->operands.begin(), e->operands.end(),
                     [&](const Expr& operand) { return readsBuffer(operand, buffer); });
}

} // namespace

bool StepApplier::isRead(int stage) const {
  const Buffer& output = state_.stage(stage).op->output;
  for (int later = stage + 1; later < state_.stageCount(); ++later) {
    const OpNode& op = *state_.stage(later).op;
    if (op.isCompute() && readsBuffer(op.body, output)) return true;
  }
  return false;
}

bool StepApplier::hasStage(const std::string& name) const {
  return std::any_of(state_.stages_.begin(), state_.stages_.end(), [&](const auto& stage) {
    return stage->name() == name || stage->op->name() == name;
  });
}

void StepApplier::requireNothingInside(int stage) const {
  for (const State::Attachment& attachment : state_.attachments_)
    if (attachment.point.stage == stage)
      refuse("{} is computed inside {}", state_.stage(attachment.stage).name(),
             state_.stage(stage).name());
}

void StepApplier::insertStage(int at, Op op, std::vector<Op> ops) {
  state_.current_ = ComputeDag(std::move(ops));
  state_.stages_.insert(state_.stages_.begin() + at,
                        std::make_shared<Stage>(initialStage(std::move(op))));
  for (State::Attachment& attachment : state_.attachments_) {
    if (attachment.stage >= at) ++attachment.stage;
    if (attachment.point.stage >= at) ++attachment.point.stage;
  }
}

StorageScope StepApplier::scopeNamed(const std::string& name) {
  return name == "shared"  ? StorageScope::Shared
         : name == "local" ? StorageScope::Local
                           : StorageScope::Unnamed;
}

void StepApplier::moveAttachments(int stage, int first, int last, int target, int shift) {
  for (State::Attachment& attachment : state_.attachments_) {
    AttachPoint& point = attachment.point;
    if (point.stage != stage || point.iterator < first) continue;
    point.iterator = point.iterator <= last ? target : point.iterator + shift;
  }
}

} // namespace nestwright
