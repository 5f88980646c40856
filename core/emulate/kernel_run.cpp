#include "core/emulate/kernel_run.h"

#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/scalar_arithmetic.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace nestwright {

namespace {

ThreadSet everyoneOf(const Launch& launch) {
  ThreadSet threads;
  for (int thread = 0; thread < launch.threadsPerBlock(); ++thread)
    threads.ids.push_back(thread);
  return threads;
}

/// A thread's place along an axis: threads are numbered along x first.
std::int64_t alongAxis(const Launch& launch, int thread, std::size_t axis) {
  std::int64_t rest = thread;
  for (std::size_t i = 0; i < axis; ++i)
    rest /= launch.threads[i].extent;
  return rest % launch.threads[axis].extent;
}

void watchWritten(const Stmt& launch, ProgramNames& names) {
  std::unordered_set<const BufferNode*> written;
  visit(launch, [&](const Stmt& s) {
    if (s->buffer && s->kind != StmtKind::Allocate) written.insert(s->buffer.get());
  });
  for (auto& [buffer, memory] : names.memories)
    if (memory->scope() == MemoryScope::Global) memory->watch(written.contains(buffer));
}

/// From Global memory into that of a block, zeros where a condition does not hold.
void requireCopy(const StmtNode& s, ProgramNames& names) {
  const bool guarded = s.value->kind == ExprKind::IfThenElse;
  const Expr load = guarded ? (*s.value)[1] : s.value;
  const bool fits = load->kind == ExprKind::Load &&
                    names.memory(load->buffer.get()).scope() == MemoryScope::Global &&
                    names.memory(s.buffer.get()).scope() == MemoryScope::Block;
  if (!fits) throw Error(fmt::format("what is copied to {} is no copy", s.buffer->name));
}

} // namespace

KernelRun::KernelRun(const Stmt& launch, ProgramNames& names, EmulationPoint& moment,
                     const EmulationOptions& options)
    : kernel_(launch), launch_(*launch->launch), names_(names), moment_(moment), options_(options),
      current_(launch.get()) {}

void KernelRun::prepareThreads() {
  moment_.everyone = everyoneOf(launch_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (launch_.grid[axis].var)
      names_.variable(launch_.grid[axis].var.get()).changesInBlock = false;
    if (!launch_.threads[axis].var) continue;
    Variable& thread = names_.variable(launch_.threads[axis].var.get());
    thread.changesInBlock = false;
    for (const int id : moment_.everyone.ids)
      thread.each.push_back(static_cast<double>(alongAxis(launch_, id, axis)));
  }
}

KernelRun::Step KernelRun::prepared(const Stmt& s) {
  Step step;
  step.source = current_ = s.get();
  switch (s->kind) {
  case StmtKind::For:
    if (s->forKind == ForKind::Block || s->forKind == ForKind::Thread ||
        s->forKind == ForKind::Parallel)
      throw Error(fmt::format("loop {} is not bound to its launch", s->var->name));
    step.variable = &names_.variable(s->var.get());
    step.variable->isUnrolled = s->forKind == ForKind::Unrolled && asInt(s->min) != nullptr;
    step.values.emplace_back(s->min, 0, names_, moment_);
    if (!step.values[0].isUniform())
      throw Error(fmt::format("loop {} starts where its thread says", s->var->name));
    break;
  case StmtKind::Allocate: {
    auto& memory = names_.memories[s->buffer.get()];
    if (memory) throw Error(fmt::format("{} is allocated twice", s->buffer->name));
    memory = std::make_unique<ThreadMemory>(s->buffer, s->scope, moment_);
    memory->watch(s->scope == MemoryScope::Block);
    step.memory = memory.get();
    break;
  }
  case StmtKind::Store:
  case StmtKind::Shuffle:
  case StmtKind::ReduceThreads:
    prepareStore(*s, step);
    break;
  case StmtKind::CopyAsync:
    prepareStore(*s, step);
    requireCopy(*s, names_);
    break;
  case StmtKind::LoadFragment:
  case StmtKind::Mma:
    prepareTile(*s, step);
    break;
  case StmtKind::Launch:
    throw Error("a launch is inside of another one");
  default:
    break;
  }
  if (s->kind == StmtKind::If && options_.registers) checkRegisters(*s);
  if (s->condition) step.condition.emplace_back(s->condition, 0, names_, moment_);
  for (const Stmt& child : s->body)
    step.inside.push_back(prepared(child));
  return step;
}

void KernelRun::prepareStore(const StmtNode& s, Step& step) {
  const int lanes = s.indices.empty() ? 1 : s.indices.back()->type.lanes;
  if (s.value->type.lanes != lanes)
    throw Error(fmt::format("{} stored to {} of {}", quantity(s.value->type.lanes, "value"),
                            quantity(lanes, "element"), s.buffer->name));
  if (options_.registers) checkRegisters(s);
  for (int lane = 0; lane < lanes; ++lane) {
    step.values.emplace_back(s.value, lane, names_, moment_);
    step.targets.emplace_back(s.buffer, s.indices, lane, names_, moment_);
  }
}

void KernelRun::prepareTile(const StmtNode& s, Step& step) {
  if (options_.registers) checkRegisters(s);
  step.targets.emplace_back(s.buffer, s.indices, 0, names_, moment_);
  const auto from = [&](const Expr& load) {
    step.targets.emplace_back(load->buffer, load->operands, 0, names_, moment_);
  };
  if (s.kind == StmtKind::LoadFragment) return from(s.value);
  from((*s.value)[0]);
  from((*s.value)[1]);
}

/// Registers have no addresses: only literals, and variables of unrolled loops, index them.
void KernelRun::checkRegisters(const StmtNode& s) const {
  const auto check = [&](const Buffer& buffer, const std::vector<Expr>& indices) {
    if (names_.memory(buffer.get()).scope() != MemoryScope::Register) return;
    for (const Expr& index : indices)
      visit(index, [&](const Expr& e) {
        if (e->kind == ExprKind::Load ||
            (e->kind == ExprKind::Var && !names_.variable(e->var.get()).isUnrolled))
          throw Fault{
              EmulationFault::RegisterIndex,
              fmt::format("the registers of {} are indexed by what is no literal", buffer->name)};
        return true;
      });
  };
  if (s.buffer) check(s.buffer, s.indices);
  for (const Expr& read : {s.value, s.condition})
    if (read)
      visit(read, [&](const Expr& e) {
        if (e->kind == ExprKind::Load) check(e->buffer, e->operands);
        return true;
      });
}

/// Backwards, so that an order of blocks that nobody promised is not relied upon.
void KernelRun::run() {
  moment_.firstBlock = moment_.block + 1;
  watchWritten(kernel_, names_);
  prepareThreads();
  copies_.assign(static_cast<std::size_t>(moment_.threads()), {});
  Step body = prepared(kernel_->body[0]);
  for (std::int64_t block = launch_.blocks(); block-- > 0;) {
    ++moment_.block;
    ++moment_.epoch;
    std::int64_t rest = block;
    for (const LaunchAxis& axis : launch_.grid) {
      if (axis.var) names_.variable(axis.var.get()).value = static_cast<double>(rest % axis.extent);
      rest /= axis.extent;
    }
    run(body, moment_.everyone);
    requireNoCopies();
  }
}

void KernelRun::run(Step& step, const ThreadSet& threads) {
  current_ = step.source;
  switch (step.source->kind) {
  case StmtKind::For:
    return runLoop(step, threads);
  case StmtKind::Store:
    return store(step, threads);
  case StmtKind::If:
    return runCondition(step, threads);
  case StmtKind::Prefetch:
    return;
  case StmtKind::Barrier:
    if (!threads.all)
      throw Fault{
          EmulationFault::DivergentBarrier,
          fmt::format("{} of {} threads come to a barrier", threads.size(), moment_.threads())};
    ++moment_.epoch;
    return;
  case StmtKind::Shuffle:
    return shuffle(step, threads);
  case StmtKind::ReduceThreads:
    return reduce(step, threads);
  case StmtKind::CopyAsync:
    return copy(step, threads);
  case StmtKind::Commit:
    return commit(threads);
  case StmtKind::Wait:
    return wait(threads, step.source->pending);
  case StmtKind::LoadFragment:
    return loadFragment(step, threads);
  case StmtKind::Mma:
    return multiplyTiles(step, threads);
  case StmtKind::Allocate:
    step.memory->clear();
    break;
  case StmtKind::Sequence:
  case StmtKind::Launch:
    break;
  }
  for (Step& inside : step.inside)
    run(inside, threads);
}

void KernelRun::runLoop(Step& step, const ThreadSet& threads) {
  const double start = step.values[0].values(threads)[0];
  for (std::int64_t i = 0; i < step.source->extent; ++i) {
    step.variable->value = start + static_cast<double>(i);
    run(step.inside[0], threads);
  }
}

void KernelRun::runCondition(Step& step, const ThreadSet& threads) {
  const Values condition = step.condition[0].values(threads);
  if (step.condition[0].isUniform()) {
    if (condition[0] != 0) run(step.inside[0], threads);
    return;
  }
  ThreadSet taking{{}, false};
  for (const int thread : threads.ids)
    if (condition[thread] != 0) taking.ids.push_back(thread);
  if (taking.size() == threads.size()) return run(step.inside[0], threads);
  if (!taking.ids.empty()) run(step.inside[0], taking);
}

void KernelRun::write(ThreadAddress& target, const ThreadSet& threads, const Values& values) {
  const std::vector<std::int64_t>& positions = target.positions(threads);
  const bool uniform = target.isUniform();
  for (const int thread : threads.ids)
    target.memory().write(positions[uniform ? 0 : static_cast<std::size_t>(thread)], thread,
                          values[thread]);
}

/// All threads read before any of them writes.
void KernelRun::store(Step& step, const ThreadSet& threads) {
  std::vector<Values> lanes;
  lanes.reserve(step.values.size());
  for (ThreadExpr& value : step.values)
    lanes.push_back(value.values(threads));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    write(step.targets[lane], threads, lanes[lane]);
}

/// What is copied is what is there now: nobody may write to it before it has been waited for.
void KernelRun::copy(Step& step, const ThreadSet& threads) {
  std::vector<Values> lanes;
  lanes.reserve(step.values.size());
  for (ThreadExpr& value : step.values)
    lanes.push_back(value.values(threads));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    ThreadAddress& target = step.targets[lane];
    const std::vector<std::int64_t>& positions = target.positions(threads);
    const bool uniform = target.isUniform();
    for (const int thread : threads.ids) {
      const std::int64_t element = positions[uniform ? 0 : static_cast<std::size_t>(thread)];
      target.memory().beginCopy(element, thread);
      copies_[static_cast<std::size_t>(thread)].open.push_back(
          {&target.memory(), element, lanes[lane][thread]});
    }
  }
}

void KernelRun::commit(const ThreadSet& threads) {
  for (const int thread : threads.ids) {
    Copies& copies = copies_[static_cast<std::size_t>(thread)];
    copies.groups.push_back(std::exchange(copies.open, {}));
  }
}

void KernelRun::wait(const ThreadSet& threads, int pending) {
  for (const int thread : threads.ids) {
    std::deque<std::vector<Copy>>& groups = copies_[static_cast<std::size_t>(thread)].groups;
    for (; groups.size() > static_cast<std::size_t>(pending); groups.pop_front())
      for (const Copy& done : groups.front())
        done.memory->finishCopy(done.element, thread, done.value);
  }
}

/// At the end of a block.
void KernelRun::requireNoCopies() {
  for (Copies& copies : copies_) {
    const bool finished =
        copies.open.empty() &&
        std::ranges::all_of(copies.groups, [](const auto& group) { return group.empty(); });
    if (!finished)
      throw Fault{EmulationFault::UnfinishedCopy, "a block ends while a thread's copies go on"};
    copies.groups.clear();
  }
}

void KernelRun::shuffle(Step& step, const ThreadSet& threads) {
  if (!threads.all)
    throw Fault{EmulationFault::DivergentShuffle, fmt::format("{} of {} threads come to a shuffle",
                                                              threads.size(), moment_.threads())};
  const ShuffleLanes& how = step.source->shuffle;
  const Values own = step.values[0].values(threads);
  std::vector<double> told;
  for (const int thread : threads.ids) {
    const int lane = thread % kLanes, segment = lane / how.width * how.width;
    int from = segment + how.lane;
    if (how.kind == ShuffleLanes::Kind::Down)
      from = lane + how.lane < segment + how.width ? lane + how.lane : lane;
    const int source = thread - lane + from;
    const bool exists =
        source < moment_.threads() && (how.mask >> from & 1) != 0 && (how.mask >> lane & 1) != 0;
    told.push_back(exists ? own[source] : ThreadMemory::poison());
  }
  write(step.targets[0], threads, {told.data(), 1});
}

void KernelRun::reduce(Step& step, const ThreadSet& threads) {
  if (!threads.all)
    throw Fault{EmulationFault::DivergentShuffle, "some threads only come to a reduction"};
  const Values own = step.values[0].values(threads);
  std::size_t axis = 0;
  while (launch_.threads[axis].var != step.source->var)
    ++axis;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < axis; ++i)
    stride *= launch_.threads[i].extent;
  std::vector<double> results;
  for (const int thread : threads.ids) {
    const std::int64_t first = thread - alongAxis(launch_, thread, axis) * stride;
    double value = own[static_cast<int>(first)];
    for (std::int64_t i = 1; i < launch_.threads[axis].extent; ++i)
      value = accumulated(step.source->reducer, value, own[static_cast<int>(first + i * stride)],
                          step.source->buffer->type);
    results.push_back(value);
  }
  ThreadSet storing = threads;
  if (!step.condition.empty()) {
    const Values condition = step.condition[0].values(threads);
    std::erase_if(storing.ids, [&](int thread) { return condition[thread] == 0; });
    storing.all = storing.size() == threads.size();
  }
  if (!storing.ids.empty()) write(step.targets[0], storing, {results.data(), 1});
}

} // namespace nestwright
