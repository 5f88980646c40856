#include "core/lower/gpu/reduce_across_threads.h"

#include "core/schedule/tensor_instruction.h"
#include "core/schedule/thread_exchange.h"
#include "core/support/error.h"

#include <bit>
#include <unordered_map>

namespace nestwright {
namespace {

/// One reduction across threads, in a launch of known size.
class ThreadReduction {
 public:
  ThreadReduction(const StmtNode& s, const Launch& launch, MemoryScope target)
      : s_(s), share_(s.value->buffer), place_(s.value->operands), target_(target) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (launch.threads[axis].var == s.var) axis_ = axis;
    extent_ = launch.threads[axis_].extent;
    others_ = launch.threadsPerBlock() / extent_;
    for (std::size_t axis = 3; axis-- > 0;)
      if (const LaunchAxis& other = launch.threads[axis]; axis != axis_ && other.var)
        row_ = row_ ? row_ * Expr(other.extent) + Expr(other.var) : Expr(other.var);
    const std::int64_t threads = launch.threadsPerBlock();
    if (threads < kLanes) mask_ = (std::uint32_t{1} << threads) - 1;
  }

  Stmt lowered() {
    std::vector<Stmt> steps;
    switch (threadExchange(axis_, extent_, extent_ * others_)) {
    case ThreadExchange::Shuffles:
      withinWarp(steps);
      break;
    case ThreadExchange::WarpsInBlock:
      acrossWarps(steps);
      break;
    case ThreadExchange::AllInBlock:
      throughMemory(steps);
      break;
    }
    steps.push_back(result());
    Stmt all = makeSequence(std::move(steps));
    if (exchange_) all = makeAllocate(exchange_, MemoryScope::Block, all);
    return other_ ? makeAllocate(other_, MemoryScope::PerThread, all) : all;
  }

 private:
  Expr own() const { return load(share_, place_); }
  Expr thread() const { return Expr(s_.var); }
  /// With a dimension for the rows where there are several. Threads along x come last: neighbours
  /// in a warp lie side by side.
  template <class T>
  std::vector<T> inRow(T position, T row) const {
    if (others_ == 1) return {std::move(position)};
    if (axis_ == 0) return {std::move(row), std::move(position)};
    return {std::move(position), std::move(row)};
  }
  std::vector<std::int64_t> inRow(std::int64_t extent) const { return inRow(extent, others_); }
  std::vector<Expr> inRow(Expr position) const { return inRow(std::move(position), row_); }
  Stmt keep(Expr value) const { return makeStore(share_, place_, std::move(value)); }
  Stmt combineWith(Expr value) const { return keep(combine(s_.reducer, own(), std::move(value))); }

  /// Halves the threads that hold something until one of each segment of `width` holds all.
  void shuffleDown(std::vector<Stmt>& steps, std::int64_t width) {
    other_ = makeBuffer(share_->name + ".other", {}, share_->type);
    for (std::int64_t distance = width / 2; distance > 0; distance /= 2) {
      steps.push_back(makeShuffle(
          other_, {}, own(),
          {ShuffleLanes::Kind::Down, static_cast<int>(distance), static_cast<int>(width), mask_}));
      Stmt combined = combineWith(load(other_, {}));
      // The last warp, or the only one, may not be full.
      const bool partnerExists = extent_ % width == 0;
      steps.push_back(partnerExists ? combined
                                    : makeIf(thread() + Expr(distance) < Expr(extent_), combined));
    }
  }

  void withinWarp(std::vector<Stmt>& steps) {
    const auto width =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent_)));
    shuffleDown(steps, width);
    steps.push_back(makeShuffle(share_, place_, own(),
                                {ShuffleLanes::Kind::From, 0, static_cast<int>(width), mask_}));
  }

  /// Every warp leaves one value, and every thread combines them all in the same order: that needs
  /// one barrier, and no further exchange.
  void acrossWarps(std::vector<Stmt>& steps) {
    shuffleDown(steps, kLanes);
    const std::int64_t warps = (extent_ + kLanes - 1) / kLanes;
    exchange_ = makeBuffer(share_->name + ".warps", inRow(warps), share_->type);
    steps.push_back(makeIf(equal(floorMod(thread(), kLanes), 0),
                           makeStore(exchange_, inRow(floorDiv(thread(), kLanes)), own())));
    steps.push_back(keep(load(exchange_, inRow(Expr(0)))));
    for (std::int64_t warp = 1; warp < warps; ++warp)
      steps.push_back(combineWith(load(exchange_, inRow(Expr(warp)))));
  }

  /// Rows that do not fit warps, and other axes: a tree in Block memory.
  void throughMemory(std::vector<Stmt>& steps) {
    exchange_ = makeBuffer(share_->name + ".threads", inRow(extent_), share_->type);
    steps.push_back(makeStore(exchange_, inRow(thread()), own()));
    std::int64_t held = extent_;
    while (held > 1) {
      const std::int64_t half = (held + 1) / 2;
      const Expr both = combine(s_.reducer, load(exchange_, inRow(thread())),
                                load(exchange_, inRow(thread() + Expr(half))));
      const std::int64_t active = held - half;
      const Expr takesPart = active == 1 ? equal(thread(), Expr(0)) : thread() < Expr(active);
      steps.push_back(makeIf(takesPart, makeStore(exchange_, inRow(thread()), both)));
      held = half;
    }
    steps.push_back(keep(load(exchange_, inRow(Expr(0)))));
  }

  Stmt result() const {
    const bool seenByOthers = target_ == MemoryScope::Global || target_ == MemoryScope::Block;
    Expr condition = s_.condition;
    if (seenByOthers) {
      const Expr first = equal(thread(), Expr(0));
      condition = condition ? condition && first : first;
    }
    Stmt store = makeStore(s_.buffer, s_.indices, own());
    return condition ? makeIf(condition, store) : store;
  }

  const StmtNode& s_;
  Buffer share_; // what this thread holds
  std::vector<Expr> place_;
  MemoryScope target_;
  std::size_t axis_ = 0;
  std::int64_t extent_ = 1, others_ = 1; // threads along the axis; rows of them in the block
  Expr row_;                             // of this thread; null where there is one
  std::uint32_t mask_ = 0xffff'ffff;
  Buffer other_, exchange_;
};

class Pass {
 public:
  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::Launch) launch_ = s->launch.get();
    if (s->kind == StmtKind::Allocate) scopes_[s->buffer.get()] = s->scope;
    if (s->kind == StmtKind::ReduceThreads) {
      const auto scope = scopes_.find(s->buffer.get());
      NW_ASSERT(s->value->kind == ExprKind::Load, "{} is combined from no share", s->buffer->name);
      return ThreadReduction(*s, *launch_,
                             scope == scopes_.end() ? MemoryScope::Global : scope->second)
          .lowered();
    }
    return mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
  }

 private:
  const Launch* launch_ = nullptr;
  std::unordered_map<const BufferNode*, MemoryScope> scopes_;
};

} // namespace

Stmt reduceAcrossThreads(const Stmt& s) {
  return Pass()(s);
}

} // namespace nestwright
