#include "core/lower/cpu/peel_guards.h"

#include "core/lower/cpu/reduction_nest.h"
#include "core/lower/expand_lanes.h"
#include "core/lower/guards.h"
#include "core/lower/simplify_indices.h"
#include "core/support/error.h"
#include "core/support/floor_divide.h"
#include "core/tensor/neutral_terms.h"

#include <algorithm>
#include <map>

namespace nestwright {
namespace {

constexpr int kMaxPieces = 9;                // of one nest
constexpr std::int64_t kMaxStatements = 256; // of a nest after unrolling
constexpr std::int64_t kMinIterations = 4;   // of a nest that is worth another version
constexpr double kMinShare = 0.5;            // of the outer iterations that take the version

/// The iterations [low, high) of a loop.
struct Range {
  std::int64_t low = 0, high = 0;
  bool isEmpty() const { return low >= high; }
};

/// The store inside of loops and conditions; null when there is anything else.
const StmtNode* onlyStore(Stmt s) {
  while ((s->kind == StmtKind::For && s->forKind != ForKind::Parallel) || s->kind == StmtKind::If)
    s = s->body[0];
  return s->kind == StmtKind::Store ? s.get() : nullptr;
}

bool reads(const Expr& e, const Buffer& buffer) {
  bool found = false;
  visit(e, [&](const Expr& node) {
    found |= node->kind == ExprKind::Load && node->buffer == buffer;
    return !found;
  });
  return found;
}

/// True when `first` sets the elements that `second` then updates.
bool isInitialisation(const Stmt& first, const Stmt& second) {
  const StmtNode *init = onlyStore(first), *update = onlyStore(second);
  return init && update && init->buffer == update->buffer &&
         (init->value->kind == ExprKind::FloatImm || init->value->kind == ExprKind::IntImm);
}

/// True when other iterations than its own neither read nor write what the store writes, other than
/// by the updates of a reduction.
bool isIndependent(const StmtNode& store) {
  for (const Expr& index : store.indices)
    if (reads(index, store.buffer)) return false;
  const Expr& value = store.value;
  if (!reads(value, store.buffer)) return true;
  const bool combines = value->kind == ExprKind::Add || value->kind == ExprKind::Mul ||
                        value->kind == ExprKind::Min || value->kind == ExprKind::Max;
  if (!combines || reads((*value)[1], store.buffer)) return false;
  const Expr& own = (*value)[0];
  return own->kind == ExprKind::Load && own->operands.size() == store.indices.size() &&
         std::equal(own->operands.begin(), own->operands.end(), store.indices.begin(),
                    equalStructure);
}

/// Loops and conditions around one store, or around an initialisation and its update.
struct Nest {
  std::vector<Stmt> loops; // of the update or the only store; outermost first
  std::vector<Var> vars;   // of all loops, those of the initialisation too
  bool hasInitialisation = false;
  std::int64_t statements = 0, iterations = 1;
};

std::optional<Nest> nestAt(const Stmt& root) {
  Nest nest;
  Stmt s = root;
  std::int64_t unrolled = 1;
  for (;; s = s->body.back()) {
    if (s->kind == StmtKind::Store) break;
    if (s->kind == StmtKind::Sequence) {
      if (s->body.size() != 2 || nest.hasInitialisation ||
          !isInitialisation(s->body[0], s->body[1]))
        return std::nullopt;
      nest.hasInitialisation = true;
    } else if (s->kind == StmtKind::For && s->forKind != ForKind::Parallel) {
      nest.loops.push_back(s);
      nest.iterations *= s->extent;
      if (s->forKind == ForKind::Unrolled) unrolled *= s->extent;
    } else if (s->kind != StmtKind::If) {
      return std::nullopt;
    }
  }
  if (!isIndependent(*s)) return std::nullopt;
  visit(root, [&](const Stmt& inner) {
    if (inner->kind == StmtKind::For) nest.vars.push_back(inner->var);
  });
  nest.statements = unrolled * (nest.hasInitialisation ? 2 : 1);
  return nest;
}

class PeelGuardsPass {
 public:
  explicit PeelGuardsPass(const Stmt& root) : simplify_(simplifierFor(root)) {}

  Stmt operator()(const Stmt& s) {
    if (std::optional<Nest> nest = nestAt(s)) {
      pieces_ = 1;
      return peeled(s, *nest);
    }
    if (s->kind == StmtKind::Sequence) return block(s);
    return mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
  }

 private:
  Stmt block(const Stmt& s) {
    std::vector<Stmt> statements;
    for (std::size_t i = 0; i < s->body.size(); ++i) {
      const bool pair = i + 1 < s->body.size() && isInitialisation(s->body[i], s->body[i + 1]);
      statements.push_back((*this)(pair ? makeSequence({s->body[i], s->body[i + 1]}) : s->body[i]));
      if (pair) ++i;
    }
    return makeSequence(std::move(statements));
  }

  Stmt peeled(const Stmt& s, const Nest& nest) {
    std::vector<Guard> guards = guardsOf(s, simplify_);
    const std::vector<Expr> left = leftToTiles(s, nest);
    std::erase_if(guards, [&](const Guard& g) {
      return simplify_.range(g.form).high < 0 ||
             std::any_of(left.begin(), left.end(),
                         [&](const Expr& e) { return equalStructure(e, g.condition); });
    });
    if (guards.empty() || nest.loops.empty() || nest.statements > kMaxStatements ||
        pieces_ >= kMaxPieces)
      return s;
    for (const Stmt& loop : nest.loops)
      if (const Range main = whereAllHold(guards, *loop, nest); !main.isEmpty())
        return cut(s, *loop, main);
    return nest.iterations >= kMinIterations ? inVersions(s, nest, guards) : s;
  }

  /// Conditions of neutral terms, which register tiles leave out on their own; but not those that
  /// the elements side by side in a vector decide.
  std::vector<Expr> leftToTiles(const Stmt& s, const Nest& nest) {
    const Stmt reduction = updateOf(s);
    std::vector<Stmt> outside;
    if (!matchReductionNest(reduction, 1, outside)) return {};
    const StmtNode& update = *onlyStore(reduction);
    const LinearForm position = simplify_.linear(flatIndex(*update.buffer, update.indices));
    std::vector<Expr> conditions = neutralUnless(update.value->kind, (*update.value)[1]);
    std::erase_if(conditions, [&](const Expr& condition) {
      return std::any_of(nest.vars.begin(), nest.vars.end(), [&](const Var& var) {
        return uses(condition, var) && coefficientOf(position, var) == 1;
      });
    });
    return conditions;
  }

  Stmt again(const Stmt& s) {
    std::optional<Nest> nest = nestAt(s);
    return nest ? peeled(s, *nest) : s;
  }

  /// The part of the form that changes inside the nest, and the part that does not.
  struct Parts {
    LinearForm inside, outside;
  };
  static Parts partsOf(const LinearForm& form, const Nest& nest) {
    Parts parts;
    parts.outside.constant = form.constant;
    for (const LinearForm::Term& term : form.terms) {
      const bool changes = std::any_of(nest.vars.begin(), nest.vars.end(),
                                       [&](const Var& var) { return uses(term.atom, var); });
      (changes ? parts.inside : parts.outside).terms.push_back(term);
    }
    return parts;
  }

  /// The iterations of the loop in which guards that depend on this loop and loops further inside
  /// hold; empty when that is none, or the whole loop.
  Range whereAllHold(const std::vector<Guard>& guards, const StmtNode& loop, const Nest& nest) {
    Range all{0, loop.extent};
    if (!isConst(loop.min, 0)) return {};
    for (const Guard& guard : guards) {
      Parts parts = partsOf(guard.form, nest);
      const std::optional<std::int64_t> step = coefficientOf(guard.form, loop.var);
      if (!parts.outside.terms.empty() || !step || *step == 0) continue;
      std::erase_if(parts.inside.terms, [&](const LinearForm::Term& term) {
        return term.atom->kind == ExprKind::Var && term.atom->var == loop.var;
      });
      const ValueRange others = simplify_.range(parts.inside);
      if (others.high >= ValueRange::kUnbounded) continue;
      // step * i + limit < 0
      const std::int64_t limit = others.high + parts.outside.constant;
      Range next = all;
      if (*step > 0)
        next.high = std::min(next.high, floorDivide(-limit - 1, *step) + 1);
      else
        next.low = std::max(next.low, floorDivide(limit, -*step) + 1);
      if (!next.isEmpty()) all = next;
    }
    return all.low == 0 && all.high == loop.extent ? Range{} : all;
  }

  Stmt cut(const Stmt& s, const StmtNode& loop, Range main) {
    std::vector<Stmt> pieces;
    for (const Range& range : {Range{0, main.low}, main, Range{main.high, loop.extent}}) {
      if (range.isEmpty()) continue;
      Stmt piece = restricted(s, loop.var.get(), range);
      pieces.push_back(pieces.empty() ? piece : withoutInitialisation(piece, loop.var.get(), s));
    }
    pieces_ += static_cast<int>(pieces.size()) - 1;
    for (Stmt& piece : pieces)
      piece = again(piece);
    return makeSequence(std::move(pieces));
  }

  /// A copy, with loop variables of its own, of which the loop over `var` runs over the range only.
  Stmt restricted(const Stmt& s, const VarNode* var, Range range) {
    std::map<const VarNode*, Expr> values;
    const std::function<Expr(const Expr&)> renamed = [&](const Expr& e) {
      return substitute(e, [&](const Var& v) {
        const auto found = values.find(v.get());
        return found == values.end() ? Expr() : found->second;
      });
    };
    const std::function<Stmt(const Stmt&)> copied = [&](const Stmt& inner) -> Stmt {
      if (inner->kind != StmtKind::For) return mapChildren(inner, copied, renamed);
      const bool here = inner->var.get() == var;
      const std::int64_t extent = here ? range.high - range.low : inner->extent;
      if (here && extent == 1) {
        values[var] = Expr(range.low);
        return copied(inner->body[0]);
      }
      auto node = std::make_shared<StmtNode>(*inner);
      node->var = makeVar(inner->var->name, inner->var->type);
      node->min = renamed(inner->min);
      node->extent = extent;
      const ValueRange start = simplify_.range(node->min);
      simplify_.setRange(node->var, {start.low, start.high + extent - 1});
      values[inner->var.get()] =
          here && range.low > 0 ? Expr(node->var) + Expr(range.low) : Expr(node->var);
      node->body = {copied(inner->body[0])};
      return node;
    };
    return copied(s);
  }

  /// When the cut loop is the update's alone, the first piece has initialised for all.
  static Stmt withoutInitialisation(const Stmt& piece, const VarNode* var, const Stmt& whole) {
    Stmt s = whole;
    while (s->kind != StmtKind::Sequence && s->kind != StmtKind::Store) {
      if (s->kind == StmtKind::For && s->var.get() == var) return piece;
      s = s->body[0];
    }
    const std::function<Stmt(const Stmt&)> updateOnly = [&](const Stmt& inner) -> Stmt {
      if (inner->kind == StmtKind::Sequence) return inner->body[1];
      return inner->kind == StmtKind::Store ? inner : withBody(inner, updateOnly(inner->body[0]));
    };
    return updateOnly(piece);
  }

  /// The nest without the guards that hold for most of the outer iterations, beside the nest.
  Stmt inVersions(const Stmt& s, const Nest& nest, const std::vector<Guard>& guards) {
    std::vector<Guard> dropped;
    std::vector<Expr> conditions;
    double share = 1;
    bool worthwhile = false;
    for (const Guard& guard : guards) {
      Parts parts = partsOf(guard.form, nest);
      if (parts.inside.terms.empty() || parts.outside.terms.empty()) continue;
      const ValueRange inside = simplify_.range(parts.inside);
      if (inside.high >= ValueRange::kUnbounded) continue;
      parts.outside.constant += inside.high;
      const double holds = shareBelowZero(parts.outside, simplify_);
      if (share * holds < kMinShare) continue;
      share *= holds;
      worthwhile |= guard.ofStatement || uses(guard.condition, nest.loops.back()->var);
      dropped.push_back(guard);
      conditions.push_back(simplify_(toExpr(parts.outside) < Expr(0)));
    }
    if (!worthwhile) return s;
    ++pieces_;
    const Expr inner = conjunction(conditions);
    Stmt free = restricted(withoutGuards(s, dropped), nullptr, {});
    return makeSequence({makeIf(inner, again(free)), makeIf(logicalNot(inner), s)});
  }

  IndexSimplifier simplify_;
  int pieces_ = 1;
};

/// Without updates that change nothing, as they are where padding is all that a piece reads.
Stmt withoutNeutralUpdates(const Stmt& s) {
  if (s->kind == StmtKind::Store && reads(s->value, s->buffer) && isIndependent(*s) &&
      isNeutral(s->value->kind, (*s->value)[1]))
    return makeSequence({});
  return mapChildren(s, withoutNeutralUpdates, nullptr);
}

} // namespace

Stmt peelGuards(const Stmt& s) {
  const Stmt peeled = simplifyIndices(PeelGuardsPass(s)(s));
  const Stmt updating = withoutNeutralUpdates(peeled);
  return updating == peeled ? peeled : simplifyIndices(updating);
}

} // namespace nestwright
