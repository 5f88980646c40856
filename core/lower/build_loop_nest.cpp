#include "core/lower/build_loop_nest.h"

#include "core/lower/find_step.h"
#include "core/lower/guards.h"
#include "core/lower/index_simplifier.h"
#include "core/lower/raster_order.h"
#include "core/lower/stage_storage.h"
#include "core/schedule/pipeline.h"
#include "core/support/error.h"

#include <map>
#include <set>

namespace nestwright {
namespace {

/// The bounds with loop variables that carry the names of the state's iterators, as a loop nest
/// shows them.
Bounds withIteratorNames(const State& state, Bounds bounds) {
  std::unordered_map<const VarNode*, Var> renamed;
  for (int id = 0; id < state.stageCount(); ++id)
    for (std::size_t i = 0; i < bounds.stages[id].loopVars.size(); ++i) {
      Var& var = bounds.stages[id].loopVars[i];
      Var fresh = makeVar(state.stage(id).iterators[i].name, var->type);
      renamed.emplace(var.get(), fresh);
      var = std::move(fresh);
    }
  auto rename = [&](Expr& e) {
    e = substitute(e, [&](const Var& v) {
      auto found = renamed.find(v.get());
      return found == renamed.end() ? Expr() : Expr(found->second);
    });
  };
  for (StageBounds& stage : bounds.stages) {
    for (AxisRange& axis : stage.axes)
      rename(axis.min);
    std::for_each(stage.axisValues.begin(), stage.axisValues.end(), rename);
    std::for_each(stage.guards.begin(), stage.guards.end(), rename);
  }
  return bounds;
}

class NestBuilder {
 public:
  NestBuilder(const State& state, const Bounds& bounds, Machine machine)
      : state_(state), machine_(machine), bounds_(withIteratorNames(state, bounds)),
        storage_(state.stageCount()), exists_(state.stageCount(), false), around_(state, machine) {}

  LoopFunction build();

 private:
  void prepare(int id);
  Stmt rootStages(int first);
  Stmt stage(int id);
  Stmt level(int id, std::size_t iterator);
  Stmt plainLevel(int id, std::size_t iterator);
  Stmt reductionLevel(int id, std::size_t iterator);
  Stmt acrossThreads(int id, std::size_t iterator, std::size_t thread);
  std::optional<std::size_t> reducingThread(int id) const;
  Stmt loop(int id, std::size_t iterator, Stmt body);
  Stmt attached(const std::vector<int>& ids, std::size_t first, const std::function<Stmt()>& rest);
  Stmt computation(int id);
  Stmt initialisation(int id, std::size_t firstReduction);
  Stmt overElements(int id, std::size_t firstReduction, const char* suffix, Stmt statement);
  std::vector<std::size_t> elementLoops(int id, std::size_t firstReduction) const;
  Expr conditions(int id, std::size_t axisCount);
  Stmt guarded(int id, std::size_t axisCount, Stmt store);
  bool usesReduction(int id, const Expr& e) const;
  const Buffer& target(int id) const;
  std::vector<Expr> targetIndices(int id) const;
  std::vector<Expr> storeIndices(int id) const;
  Expr bodyOf(int id, const std::vector<Expr>& axisValues);

  /// What one thread holds of a reduction across threads.
  struct Share {
    Buffer buffer;
    std::vector<Expr> indices;
    std::size_t thread = 0; // the iterator that is bound to threads
  };

  const State& state_;
  const Machine machine_;
  const Bounds bounds_;
  IndexSimplifier simplify_;
  std::vector<StageStorage> storage_;
  std::vector<bool> exists_;    // while building: may be read here
  std::map<int, Share> shares_; // by stage, while its loops are built
  std::set<int> inKernel_;      // the stages of the launch that is being built
  int reader_ = 0;              // the stage whose body is being built
  EnclosingLoops around_;
  std::int64_t unrollMaxStep_ = 0;
};

LoopFunction NestBuilder::build() {
  LoopFunction function;
  for (int id = 0; id < state_.stageCount(); ++id)
    prepare(id);
  for (const Op& op : state_.dag().inputs())
    function.parameters.push_back(op->output);
  function.inputCount = static_cast<int>(function.parameters.size());
  for (const Op& op : state_.dag().outputs()) {
    const Stage& stage = state_.stage(state_.dag().indexOf(op->output));
    if (stage.location != ComputeLocation::Root)
      throw IllegalSchedule(
          fmt::format("{} is an output, so its loops must stay at root", stage.name()),
          findPlacement(state_, stage.name()));
    function.parameters.push_back(op->output);
  }
  for (const Op& op : state_.dag().ops())
    if (op->kind == OpNode::Kind::Constant) function.constants.emplace_back(op->output, op->values);
  function.body = rootStages(0);
  function.flops = flops(state_.originalDag());
  return function;
}

void NestBuilder::prepare(int id) {
  const Stage& stage = state_.stage(id);
  const StageBounds& bounds = bounds_.stages[id];
  storage_[id] = storageOf(state_, id, bounds, machine_);
  exists_[id] = stage.isPlaceholder();
  if (stage.isPlaceholder() || stage.location == ComputeLocation::Inlined) return;
  for (std::size_t i = 0; i < stage.iterators.size(); ++i)
    simplify_.setRange(bounds.loopVars[i], {0, bounds.extents[i] - 1});
}

/// The stages at root from `first` on, each with the buffer of an intermediate result around it and
/// all that follows.
Stmt NestBuilder::rootStages(int first) {
  for (int id = first; id < state_.stageCount(); ++id) {
    const Stage& s = state_.stage(id);
    if (s.isPlaceholder() || s.location != ComputeLocation::Root) continue;
    inKernel_.clear();
    Stmt nest = stage(id);
    if (machine_ == Machine::Gpu) {
      Launch launch{s.name(), {}, {}, 0, s.minBlocks};
      for (const int inside : inKernel_)
        launch.flops += flops(*state_.stage(inside).op);
      nest = makeLaunch(std::move(launch), nest);
    }
    exists_[id] = true;
    Stmt rest = rootStages(id + 1);
    Stmt both = rest ? makeSequence({nest, rest}) : nest;
    bool isOutput = false;
    for (const Op& op : state_.dag().outputs())
      isOutput |= op == s.op;
    return isOutput ? both : makeAllocate(storage_[id].buffer, MemoryScope::Global, both);
  }
  return nullptr;
}

Stmt NestBuilder::stage(int id) {
  inKernel_.insert(id);
  std::int64_t outer = unrollMaxStep_;
  unrollMaxStep_ = state_.stage(id).autoUnrollMaxStep.value_or(unrollMaxStep_);
  Stmt nest = level(id, 0);
  unrollMaxStep_ = outer;
  return nest;
}

Stmt NestBuilder::level(int id, std::size_t iterator) {
  const Stage& stage = state_.stage(id);
  if (iterator == stage.iterators.size()) {
    // A reduction over nothing but extent-1 axes that some step removed.
    bool reduces = std::any_of(stage.iterators.begin(), stage.iterators.end(),
                               [](const Iterator& i) { return i.isReduction(); });
    Stmt update = computation(id);
    return stage.op->reducer && !reduces ? makeSequence({initialisation(id, iterator), update})
                                         : update;
  }
  // A loop made of no axes at all is of no kind, also where nothing is reduced.
  bool firstReduction = stage.op->reducer && stage.iterators[iterator].isReduction() &&
                        std::none_of(stage.iterators.begin(), stage.iterators.begin() + iterator,
                                     [](const Iterator& i) { return i.isReduction(); });
  return firstReduction ? reductionLevel(id, iterator) : plainLevel(id, iterator);
}

Stmt NestBuilder::plainLevel(int id, std::size_t iterator) {
  const EnclosingLoops outside = around_;
  if (bounds_.stages[id].extents[iterator] != 1)
    around_.enter(id, state_.stage(id).iterators[iterator]);
  std::vector<int> ids = state_.attachedAt({id, static_cast<int>(iterator)});
  std::sort(ids.begin(), ids.end()); // producers before consumers
  Stmt nest = loop(id, iterator, attached(ids, 0, [&] { return level(id, iterator + 1); }));
  around_ = outside;
  return nest;
}

/// From the outermost reduction loop on.
Stmt NestBuilder::reductionLevel(int id, std::size_t iterator) {
  if (const std::optional<std::size_t> thread = reducingThread(id))
    return acrossThreads(id, iterator, *thread);
  Stmt nest = plainLevel(id, iterator);
  return makeSequence({initialisation(id, iterator), nest});
}

/// The reduction loop of a stage that runs on threads.
std::optional<std::size_t> NestBuilder::reducingThread(int id) const {
  const Stage& stage = state_.stage(id);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
    const Iterator& it = stage.iterators[i];
    if (it.kind != IteratorKind::Reduction || bounds_.stages[id].extents[i] == 1 ||
        loopKindOf(state_, stage, it, machine_).kind != ForKind::Thread)
      continue;
    if (found)
      throw IllegalSchedule(
          fmt::format("{} reduces over two loops of threads, {} and {}; fuse them", stage.name(),
                      stage.iterators[*found].name, it.name),
          findAnnotation(state_, stage.name(), it.annotation));
    found = i;
  }
  return found;
}

/// The thread loop goes around all of the reduction: every thread reduces its share, then the
/// shares are combined.
Stmt NestBuilder::acrossThreads(int id, std::size_t iterator, std::size_t thread) {
  const Stage& stage = state_.stage(id);
  const StageBounds& bounds = bounds_.stages[id];
  Share share;
  std::vector<std::int64_t> shape;
  for (const std::size_t i : elementLoops(id, iterator)) {
    const Iterator& it = stage.iterators[i];
    // Each of its iterations would store a part of the sum as if it were all.
    if (it.kind == IteratorKind::Mixed)
      throw IllegalSchedule(fmt::format("{} reduces across threads, and its loop {} runs over more "
                                        "of the same reduction together with elements",
                                        stage.name(), it.name));
    if (isThreadLoop(loopKindOf(state_, stage, it, machine_).kind))
      throw IllegalSchedule(
          fmt::format("{} reduces across threads around {} {}, which has to be outside",
                      stage.name(), keyword(it.annotation), it.name),
          findAnnotation(state_, stage.name(), it.annotation));
    shape.push_back(bounds.extents[i]);
    share.indices.emplace_back(bounds.loopVars[i]);
  }
  share.buffer =
      makeBuffer(fmt::format("{}.share", stage.name()), std::move(shape), stage.op->output->type);
  share.thread = thread;
  shares_[id] = share;
  Stmt nest = plainLevel(id, iterator);
  Stmt own = makeSequence({initialisation(id, iterator), nest});
  shares_.erase(id);
  const Expr condition = conditions(id, stage.op->axes.size());
  Stmt combined = overElements(id, iterator, "out",
                               makeReduceThreads(target(id), targetIndices(id), *stage.op->reducer,
                                                 load(share.buffer, share.indices),
                                                 bounds.loopVars[thread], condition));
  return loop(id, thread,
              makeAllocate(share.buffer, MemoryScope::PerThread, makeSequence({own, combined})));
}

Stmt NestBuilder::loop(int id, std::size_t iterator, Stmt body) {
  const StageBounds& bounds = bounds_.stages[id];
  if (bounds.extents[iterator] == 1) return body;
  const auto share = shares_.find(id);
  if (share != shares_.end() && share->second.thread == iterator) return body; // it is further out
  const Iterator& it = state_.stage(id).iterators[iterator];
  const LoopKind kind = loopKindOf(state_, state_.stage(id), it, machine_);
  Stmt plain =
      makeFor(bounds.loopVars[iterator], 0, bounds.extents[iterator], kind.kind, std::move(body));
  auto node = std::make_shared<StmtNode>(*plain);
  node->axis = kind.axis;
  if (kind.kind == ForKind::Tensorized) node->instruction = state_.stage(id).tensorInstruction;
  node->reduction = it.isReduction();
  node->unrollMaxStep = unrollMaxStep_;
  if (it.kind == IteratorKind::Reduction && kind.kind == ForKind::Serial &&
      static_cast<int>(iterator) >= outermostTileLoop(state_, id) &&
      static_cast<int>(iterator) <= innermostFetchLoop(state_, id))
    node->pipelineStages = state_.stage(id).pipelineStages;
  if (kind.kind == ForKind::Block && state_.stage(id).rasterRows > 1)
    return inRasterOrder(node, state_.stage(id), it);
  return node;
}

/// The stages attached at one place, in order, each alive for the following ones and for `rest`.
Stmt NestBuilder::attached(const std::vector<int>& ids, std::size_t first,
                           const std::function<Stmt()>& rest) {
  if (first == ids.size()) return rest();
  int id = ids[first];
  const MemoryScope scope = around_.scopeOf(id);
  const EnclosingLoops outside = around_;
  around_.enterStage(scope);
  Stmt producer = stage(id);
  around_ = outside;
  exists_[id] = true;
  Stmt following = attached(ids, first + 1, rest);
  exists_[id] = false;
  return makeAllocate(storage_[id].buffer, scope, makeSequence({producer, following}));
}

std::vector<Expr> NestBuilder::storeIndices(int id) const {
  const std::vector<Expr>& values = bounds_.stages[id].axisValues;
  const auto rank = static_cast<std::ptrdiff_t>(state_.stage(id).op->axes.size());
  return storage_[id].at({values.begin(), values.begin() + rank});
}

/// Where a stage stores while its loops run.
const Buffer& NestBuilder::target(int id) const {
  const auto share = shares_.find(id);
  return share == shares_.end() ? storage_[id].buffer : share->second.buffer;
}

std::vector<Expr> NestBuilder::targetIndices(int id) const {
  const auto share = shares_.find(id);
  return share == shares_.end() ? storeIndices(id) : share->second.indices;
}

/// The innermost statement of a stage.
Stmt NestBuilder::computation(int id) {
  const Op& op = state_.stage(id).op;
  const StageBounds& bounds = bounds_.stages[id];
  reader_ = id;
  Expr value = bodyOf(id, bounds.axisValues);
  std::vector<Expr> indices = targetIndices(id);
  if (op->reducer) value = combine(*op->reducer, load(target(id), indices), value);
  return guarded(id, bounds.axisValues.size(),
                 makeStore(target(id), std::move(indices), std::move(value)));
}

/// Stores the neutral element to all that the reduction loops from `firstReduction` on will update.
Stmt NestBuilder::initialisation(int id, std::size_t firstReduction) {
  const Stage& stage = state_.stage(id);
  Stmt store = makeStore(target(id), targetIndices(id),
                         identity(*stage.op->reducer, stage.op->output->type));
  // A thread's own share has no place that must not be stored to.
  if (!shares_.contains(id)) store = guarded(id, stage.op->axes.size(), store);
  return overElements(id, firstReduction, "init", store);
}

/// The loops from `firstReduction` on that give the elements which are reduced. A fused loop over
/// spatial and reduction axes is repeated too: storing the same again is harmless.
std::vector<std::size_t> NestBuilder::elementLoops(int id, std::size_t firstReduction) const {
  const Stage& stage = state_.stage(id);
  std::vector<std::size_t> loops;
  for (std::size_t i = firstReduction; i < stage.iterators.size(); ++i)
    if (stage.iterators[i].kind != IteratorKind::Reduction && bounds_.stages[id].extents[i] != 1)
      loops.push_back(i);
  return loops;
}

/// The statement for all of these elements, in loops of its own.
Stmt NestBuilder::overElements(int id, std::size_t firstReduction, const char* suffix,
                               Stmt statement) {
  const StageBounds& bounds = bounds_.stages[id];
  std::map<const VarNode*, Var> fresh;
  const std::vector<std::size_t> loops = elementLoops(id, firstReduction);
  for (auto i = loops.rbegin(); i != loops.rend(); ++i) {
    const Var& var = bounds.loopVars[*i];
    Stmt around = loop(id, *i, statement);
    auto node = std::make_shared<StmtNode>(*around);
    // In raster order the loop has another variable than the stage's.
    node->var = fresh[around->var.get()] = makeVar(fmt::format("{}.{}", var->name, suffix));
    node->reduction = false;
    simplify_.setRange(node->var, {0, bounds.extents[*i] - 1});
    statement = node;
  }
  if (fresh.empty()) return statement;
  return mapExprs(statement, [&](const Expr& e) {
    return substitute(e, [&](const Var& v) {
      auto found = fresh.find(v.get());
      return found == fresh.end() ? Expr() : Expr(found->second);
    });
  });
}

/// True when the expression depends on a loop that iterates nothing but reduction axes.
bool NestBuilder::usesReduction(int id, const Expr& e) const {
  const Stage& stage = state_.stage(id);
  for (std::size_t i = 0; i < stage.iterators.size(); ++i)
    if (stage.iterators[i].kind == IteratorKind::Reduction &&
        uses(e, bounds_.stages[id].loopVars[i]))
      return true;
  return false;
}

/// That the stage's first `axisCount` axes are inside of its region and of the operator's domain,
/// as far as the loops do not ensure it; null when they do.
Expr NestBuilder::conditions(int id, std::size_t axisCount) {
  const StageBounds& bounds = bounds_.stages[id];
  const Op& op = state_.stage(id).op;
  std::vector<Expr> conditions;
  auto require = [&](const Expr& condition) {
    Expr simple = simplify_(condition);
    if (isConst(simple, 1)) return;
    for (const Expr& known : conditions)
      if (equalStructure(known, simple)) return;
    conditions.push_back(simple);
  };
  // Loops cut unevenly twice overlap; these guards of the pieces keep them apart.
  for (const Expr& guard : bounds.guards)
    if (axisCount == bounds.axisValues.size() || !usesReduction(id, guard)) require(guard);
  for (std::size_t axis = 0; axis < axisCount; ++axis) {
    const Expr& value = bounds.axisValues[axis];
    std::size_t spatial = op->axes.size();
    std::int64_t domain =
        axis < spatial ? op->axes[axis].extent : op->reduceAxes[axis - spatial].extent;
    require(value >= Expr(0));
    require(value < Expr(domain));
    if (bounds.axes[axis].extent == domain) continue;
    require(value - bounds.axes[axis].min < Expr(bounds.axes[axis].extent));
    require(value - bounds.axes[axis].min >= Expr(0));
  }
  return conditions.empty() ? Expr() : conjunction(conditions);
}

Stmt NestBuilder::guarded(int id, std::size_t axisCount, Stmt store) {
  const Expr all = conditions(id, axisCount);
  return all ? makeIf(all, std::move(store)) : store;
}

/// The body of a stage's operator at the given axis values, with every load redirected to where its
/// producer stores, or replaced by the body of an inlined producer.
Expr NestBuilder::bodyOf(int id, const std::vector<Expr>& axisValues) {
  const Op& op = state_.stage(id).op;
  Expr body = substitute(op->body, [&](const Var& v) {
    for (std::size_t i = 0; i < op->axes.size(); ++i)
      if (op->axes[i].var == v) return axisValues[i];
    for (std::size_t i = 0; i < op->reduceAxes.size(); ++i)
      if (op->reduceAxes[i].var == v) return axisValues[op->axes.size() + i];
    return Expr();
  });
  return rewrite(body, [&](const Expr& e) -> Expr {
    if (e->kind != ExprKind::Load) return e;
    int producer = state_.dag().indexOf(e->buffer);
    if (producer < 0) return e; // an index of an inlined body, redirected before
    // Data that is an index is widened with its sign where it has one, and after it has wrapped.
    std::vector<Expr> indices;
    for (const Expr& index : e->operands)
      indices.push_back(index->type == kInt64 ? index : cast(kInt64, index));
    const Stage& stage = state_.stage(producer);
    if (stage.location == ComputeLocation::Inlined) {
      if (stage.op->reducer)
        throw IllegalSchedule(fmt::format("{} is a reduction and cannot be inlined", stage.name()),
                              findPlacement(state_, stage.name()));
      inKernel_.insert(producer);
      return bodyOf(producer, indices);
    }
    if (!exists_[producer])
      throw IllegalSchedule(
          fmt::format(
              "{} reads {} outside of the loop in which {} is computed; compute {} in a loop "
              "around all its consumers, or at root",
              state_.stage(reader_).name(), stage.name(), stage.name(), stage.name()),
          findPlacement(state_, stage.name()));
    return load(storage_[producer].buffer, storage_[producer].at(indices));
  });
}

} // namespace

LoopFunction buildLoopNest(const State& state, const Bounds& bounds, Machine machine) {
  return NestBuilder(state, bounds, machine).build();
}

} // namespace nestwright
