#include "core/lower/gpu/place_barriers.h"

#include "core/lower/expand_lanes.h"
#include "core/lower/guards.h"
#include "core/lower/simplify_indices.h"
#include "core/support/error.h"
#include "core/support/floor_divide.h"

#include <algorithm>
#include <unordered_set>

namespace nestwright {
namespace {

/// How the position of an element tells which thread touches it: along each axis the thread is the
/// position divided by `coefficient`, modulo the extent; or it is always the first one.
struct Owner {
  struct Along {
    bool first = false;
    std::int64_t coefficient = 0;
    bool operator==(const Along&) const = default;
  };
  std::vector<Along> axes; // of the launch's threads
  bool operator==(const Owner&) const = default;
};

struct Access {
  const BufferNode* buffer = nullptr;
  bool writes = false;
  /// The statement, where it stores every element once and reads none of them.
  const StmtNode* soleStore = nullptr;
  /// As the position tells, then as each of several indices does by itself; nothing where any
  /// thread may touch any element.
  std::vector<std::optional<Owner>> owners;
  Expr slot; // see slotOf(); null where there is none
};
using Accesses = std::vector<Access>;

bool conflict(const Access& a, const Access& b) {
  if (a.buffer != b.buffer || (!a.writes && !b.writes)) return false;
  if (a.soleStore != nullptr && a.soleStore == b.soleStore) return false;
  for (std::size_t i = 0; i < std::min(a.owners.size(), b.owners.size()); ++i)
    if (a.owners[i] && a.owners[i] == b.owners[i]) return false;
  return true;
}

void append(Accesses& all, const Accesses& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// A statement with its barriers, and what it touches before the first and after the last of them;
/// both are everything when it has none.
struct Placed {
  Stmt stmt;
  bool hasBarrier = false;
  Accesses before, after;
};

Stmt withoutBarriers(const Stmt& s) {
  if (s->kind == StmtKind::Barrier) return makeSequence({});
  return mapChildren(s, withoutBarriers, nullptr);
}

class Placer {
 public:
  explicit Placer(const Stmt& launch) : launch_(*launch->launch), simplify_(simplifierFor(launch)) {
    visit(launch, [&](const Stmt& s) {
      if (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Block)
        blockMemory_.insert(s->buffer.get());
    });
  }

  Placed place(const Stmt& s) {
    switch (s->kind) {
    case StmtKind::Sequence:
      return sequence(s);
    case StmtKind::For:
      return loop(s);
    case StmtKind::If:
      return conditional(s);
    case StmtKind::Barrier: // of a pipeline
      return {s, true, {}, {}};
    case StmtKind::Allocate: {
      Placed body = place(s->body[0]);
      body.stmt = withBody(s, body.stmt);
      return body;
    }
    default:
      break;
    }
    Accesses accesses = accessesOf(*s);
    return {s, false, accesses, accesses};
  }

 private:
  Placed sequence(const Stmt& s) {
    Placed all;
    std::vector<Stmt> statements;
    for (const Stmt& child : s->body) {
      Placed next = place(needsBarrier(all.after, child) ? child : withoutBarriers(child));
      if (anyConflict(all.after, next.before, Iteration::Same)) {
        statements.push_back(makeBarrier());
        all.hasBarrier = true;
        all.after.clear();
      }
      if (!all.hasBarrier) append(all.before, next.before);
      if (next.hasBarrier) all.after.clear();
      append(all.after, next.after);
      all.hasBarrier |= next.hasBarrier;
      statements.push_back(std::move(next.stmt));
    }
    all.stmt = statements == s->body ? s : makeSequence(std::move(statements));
    return all;
  }

  /// Whether the threads of a pipeline have to meet: not where each reads just what it has fetched
  /// itself, in the loop or, as `before` tells, ahead of it.
  bool needsBarrier(Accesses before, const Stmt& s) {
    if (s->kind != StmtKind::For || s->pipelineStages < 2) return true;
    Accesses inside;
    collect(s, inside);
    append(before, inside);
    return anyConflict(before, inside, Iteration::Next);
  }

  void collect(const Stmt& s, Accesses& accesses) {
    const Expr outer = condition_;
    if (s->kind == StmtKind::If) condition_ = outer ? outer && s->condition : s->condition;
    append(accesses, accessesOf(*s));
    for (const Stmt& child : s->body)
      collect(child, accesses);
    condition_ = outer;
  }

  Placed loop(const Stmt& s) {
    Placed body = place(s->body[0]);
    // What one iteration leaves behind meets the start of the next one.
    if (anyConflict(body.after, body.before, Iteration::Next)) {
      body.stmt = makeSequence({makeBarrier(), body.stmt});
      body.before.clear();
      body.hasBarrier = true;
    }
    body.stmt = withBody(s, body.stmt);
    return body;
  }

  Placed conditional(const Stmt& s) {
    const Expr outer = condition_;
    condition_ = outer ? outer && s->condition : s->condition;
    Placed body = place(s->body[0]);
    condition_ = outer;
    if (body.hasBarrier)
      throw IllegalSchedule(fmt::format("the kernel {} would have to wait for other threads inside "
                                        "of a condition",
                                        launch_.kernel));
    addLoads(s->condition, body.before);
    addLoads(s->condition, body.after);
    body.stmt = s;
    return body;
  }

  Accesses accessesOf(const StmtNode& s) {
    Accesses accesses;
    addLoads(s.value, accesses);
    if (s.kind == StmtKind::Allocate) return accesses;
    if (s.kind == StmtKind::LoadFragment) // each lane reads elsewhere in the tile
      for (Access& read : accesses) {
        read.owners.clear();
        if (!isInOneSlot(s)) read.slot = Expr();
      }
    for (const Expr& index : s.indices)
      addLoads(index, accesses);
    if (!blockMemory_.contains(s.buffer.get())) return accesses;
    Access written = accessTo(*s.buffer, s.indices);
    written.writes = true;
    const bool readsItself = std::any_of(accesses.begin(), accesses.end(), [&](const Access& read) {
      return read.buffer == written.buffer;
    });
    if (!readsItself) written.soleStore = &s;
    accesses.push_back(written);
    return accesses;
  }

  /// Whether a tile lies where the first index of its first element says, as a whole.
  bool isInOneSlot(const StmtNode& s) {
    const BufferNode& buffer = *s.value->buffer;
    const TensorInstruction& instruction = *s.instruction;
    const bool isA = s.fragment.operand == TensorOperand::A;
    const std::int64_t rows = isA ? instruction.m : instruction.k;
    const std::int64_t columns = isA ? instruction.k : instruction.n;
    std::vector<Expr> inside = s.value->operands;
    inside[0] = Expr(0);
    const std::int64_t last = simplify_.range(flatIndex(buffer, inside)).high +
                              (rows - 1) * s.fragment.rowStride +
                              (columns - 1) * s.fragment.columnStride;
    return last < buffer.elements() / buffer.shape[0];
  }

  void addLoads(const Expr& e, Accesses& accesses) {
    if (!e) return;
    visit(e, [&](const Expr& node) {
      if (node->kind == ExprKind::Load && blockMemory_.contains(node->buffer.get()))
        accesses.push_back(accessTo(*node->buffer, node->operands));
      return true;
    });
  }

  Access accessTo(const BufferNode& buffer, const std::vector<Expr>& indices) {
    Access access;
    access.buffer = &buffer;
    access.slot = slotOf(buffer, indices);
    access.owners.push_back(ownerOf(simplify_.linear(flatIndex(buffer, indices))));
    for (std::size_t i = 0; i < indices.size() && indices.size() > 1; ++i)
      access.owners.push_back(ownerOf(simplify_.linear(indices[i])));
    return access;
  }

  /// Whether accesses of one iteration of all loops around both meet, or those of one and of the
  /// next.
  enum class Iteration : std::uint8_t { Same, Next };

  bool anyConflict(const Accesses& earlier, const Accesses& later, Iteration iteration) {
    for (const Access& a : earlier)
      for (const Access& b : later)
        if (conflict(a, b) && !(iteration == Iteration::Same && inDifferentSlots(a, b)))
          return true;
    return false;
  }

  /// Whether the two differ in their first index, for all threads: in different places for tiles of
  /// a pipeline, (k + 2) % 3 and k % 3.
  bool inDifferentSlots(const Access& a, const Access& b) {
    if (!a.slot || !b.slot || !isUniform(a.slot)) return false;
    const LinearForm apart = simplify_.linear(a.slot - b.slot);
    return apart.isConstant() && apart.constant % a.buffer->shape[0] != 0;
  }

  /// What the first of several indices is equal to modulo the first dimension; null for a single
  /// index.
  Expr slotOf(const BufferNode& buffer, const std::vector<Expr>& indices) {
    if (indices.size() < 2 || !indices[0]->type.isScalar()) return {};
    const Expr slot = simplify_(indices[0]);
    const bool isModulo = slot->kind == ExprKind::FloorMod && isConst((*slot)[1], buffer.shape[0]);
    return isModulo ? (*slot)[0] : slot;
  }

  /// Whether an index is the same for all threads of a block.
  bool isUniform(const Expr& e) const {
    return !readsMemory(e) && std::ranges::none_of(launch_.threads, [&](const LaunchAxis& axis) {
      return axis.var && uses(e, axis.var);
    });
  }

  std::optional<Owner> ownerOf(const LinearForm& form) {
    Owner owner;
    for (const LaunchAxis& axis : launch_.threads) {
      if (!axis.var) continue;
      Owner::Along along;
      if (isFirst(axis.var))
        along.first = true;
      else if (const std::optional<std::int64_t> stride = strideOf(form, axis))
        along.coefficient = *stride;
      else
        return std::nullopt;
      owner.axes.push_back(along);
    }
    return owner;
  }

  /// Whether only the first thread along this axis comes here.
  bool isFirst(const Var& thread) const {
    if (!condition_) return false;
    std::vector<Expr> conjuncts;
    splitConjunction(condition_, conjuncts);
    return std::any_of(conjuncts.begin(), conjuncts.end(), [&](const Expr& e) {
      return e->kind == ExprKind::Eq && (*e)[0]->kind == ExprKind::Var && (*e)[0]->var == thread &&
             isConst((*e)[1], 0);
    });
  }

  /// The thread's coefficient in the position, if all else is a multiple of what the threads along
  /// the axis span, or stays below one thread's stride.
  std::optional<std::int64_t> strideOf(const LinearForm& form, const LaunchAxis& axis) {
    const std::optional<std::int64_t> stride = coefficientOf(form, axis.var);
    if (!stride || *stride <= 0) return std::nullopt;
    const std::int64_t span = *stride * axis.extent;
    LinearForm below;
    below.constant = form.constant - floorDivide(form.constant, span) * span;
    for (const LinearForm::Term& term : form.terms) {
      const bool isThread = term.atom->kind == ExprKind::Var && term.atom->var == axis.var;
      if (!isThread && term.coefficient % span != 0) below.terms.push_back(term);
    }
    const ValueRange rest = simplify_.range(below);
    if (rest.low < 0 || rest.high >= *stride) return std::nullopt;
    return stride;
  }

  const Launch& launch_;
  IndexSimplifier simplify_;
  std::unordered_set<const BufferNode*> blockMemory_;
  Expr condition_; // around the place; null for none
};

} // namespace

Stmt placeBarriers(const Stmt& s) {
  if (s->kind != StmtKind::Launch) return mapChildren(s, placeBarriers, nullptr);
  if (s->launch->threadsPerBlock() == 1) return withoutBarriers(s);
  return withBody(s, Placer(s).place(s->body[0]).stmt);
}

} // namespace nestwright
