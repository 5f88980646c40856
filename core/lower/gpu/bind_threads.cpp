#include "core/lower/gpu/bind_threads.h"

#include "core/support/error.h"

#include <unordered_map>

namespace nestwright {
namespace {

bool isBound(const Stmt& s) {
  return s->kind == StmtKind::For &&
         (s->forKind == ForKind::Block || s->forKind == ForKind::Thread);
}

/// How many loops around a place run over each axis of a launch: blocks, then threads.
using AxisLoops = std::array<int, 6>;

class Binder {
 public:
  explicit Binder(const Stmt& launch) : launch_(*launch->launch) {
    visit(launch->body[0], [&](const Stmt& s) {
      if (isBound(s)) collect(*s);
    });
  }

  Stmt bind(const Stmt& launch) { return makeLaunch(launch_, statement(launch->body[0])); }

 private:
  static std::size_t position(const StmtNode& loop) {
    return (loop.forKind == ForKind::Block ? 0 : 3) + static_cast<std::size_t>(loop.axis);
  }
  LaunchAxis& axis(std::size_t position) {
    return position < 3 ? launch_.grid[position] : launch_.threads[position - 3];
  }

  void collect(const StmtNode& loop) {
    const std::size_t at = position(loop);
    LaunchAxis& along = axis(at);
    if (!along.var) {
      const char* what = at < 3 ? "blockIdx" : "threadIdx";
      along = {makeVar(fmt::format("{}.{}", what, "xyz"[at % 3])), loop.extent};
      firstLoop_[at] = loop.var->name;
    }
    if (along.extent != loop.extent)
      throw IllegalSchedule(fmt::format(
          "loops {} and {} of the kernel {} are both on {}, but have {} and {} iterations",
          firstLoop_[at], loop.var->name, launch_.kernel, along.var->name, along.extent,
          loop.extent));
  }

  Stmt statement(const Stmt& s) {
    switch (s->kind) {
    case StmtKind::For:
      if (isBound(s)) return bound(s);
      break;
    case StmtKind::Allocate: {
      // The loops outside of it are those of the stages around.
      allocated_[s->buffer.get()] = {s->scope, around_};
      break;
    }
    case StmtKind::Store: {
      const Stmt renamed = mapExprs(s, [&](const Expr& e) { return rename(e); });
      const Expr first = firstOnly(s->buffer);
      return first ? makeIf(first, renamed) : renamed;
    }
    case StmtKind::ReduceThreads: {
      auto node =
          std::make_shared<StmtNode>(*mapExprs(s, [&](const Expr& e) { return rename(e); }));
      node->var = vars_.at(s->var.get());
      // Which of the threads that it combines stores is for the reduction to say.
      if (const Expr first = firstOnly(s->buffer))
        node->condition = node->condition ? node->condition && first : first;
      return node;
    }
    default:
      break;
    }
    return mapChildren(
        s, [&](const Stmt& child) { return statement(child); },
        [&](const Expr& e) { return rename(e); });
  }

  Stmt bound(const Stmt& loop) {
    const std::size_t at = position(*loop);
    vars_[loop->var.get()] = axis(at).var;
    const AxisLoops outside = around_;
    ++around_[at];
    Stmt body = statement(loop->body[0]);
    around_ = outside;
    return body;
  }

  Expr rename(const Expr& e) const {
    return substitute(e, [&](const Var& v) {
      const auto found = vars_.find(v.get());
      return found == vars_.end() ? Expr() : Expr(found->second);
    });
  }

  /// That a thread is the first along the axes that no loop between the buffer's allocation and
  /// here runs over; null when there are none.
  Expr firstOnly(const Buffer& buffer) {
    const auto found = allocated_.find(buffer.get());
    const bool global = found == allocated_.end();
    if (!global && found->second.scope == MemoryScope::PerThread) return {};
    Expr all;
    for (std::size_t at = global ? 0 : 3; at < 6; ++at) {
      const bool runs = around_[at] > (global ? 0 : found->second.around[at]);
      if (runs || !axis(at).var) continue;
      Expr first = equal(Expr(axis(at).var), Expr(0));
      all = all ? all && first : first;
    }
    return all;
  }

  struct Allocated {
    MemoryScope scope;
    AxisLoops around;
  };
  Launch launch_;
  std::array<std::string, 6> firstLoop_;
  AxisLoops around_ = {};
  std::unordered_map<const VarNode*, Var> vars_; // of loops, to those of the launch
  std::unordered_map<const BufferNode*, Allocated> allocated_;
};

} // namespace

Stmt bindThreads(const Stmt& s) {
  if (s->kind == StmtKind::Launch) return Binder(s).bind(s);
  return mapChildren(s, bindThreads, nullptr);
}

} // namespace nestwright
