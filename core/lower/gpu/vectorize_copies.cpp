#include "core/lower/gpu/vectorize_copies.h"

#include "core/lower/expand_lanes.h"
#include "core/lower/guards.h"
#include "core/lower/simplify_indices.h"
#include "core/support/floor_divide.h"

#include <numeric>
#include <unordered_map>

namespace nestwright {
namespace {

/// Loops and conditions, outermost first, around nothing but one store or asynchronous copy.
struct Chain {
  std::vector<Stmt> around;
  Stmt store;
};

std::optional<Chain> chainFrom(Stmt s) {
  Chain chain;
  while (s->kind == StmtKind::For || s->kind == StmtKind::If) {
    chain.around.push_back(s);
    s = s->body[0];
  }
  const bool stores = s->kind == StmtKind::Store || s->kind == StmtKind::CopyAsync;
  if (!stores || chain.around.empty()) return std::nullopt;
  chain.store = s;
  return chain;
}

/// The condition without the lane, over all values of which it has one truth; null where it has
/// not.
Expr withoutLane(const Expr& condition, const Var& lane, int lanes, IndexSimplifier& simplify) {
  std::vector<Expr> conjuncts;
  splitConjunction(condition, conjuncts);
  for (Expr& e : conjuncts) {
    if (!uses(e, lane)) continue;
    const std::optional<LinearForm> form = belowZero(e, simplify);
    const std::optional<std::int64_t> stride = form ? coefficientOf(*form, lane) : std::nullopt;
    if (!stride) return {};
    // The rest of the form is `remainder` modulo `step`.
    std::int64_t step = 0;
    for (const LinearForm::Term& term : form->terms)
      if (!uses(term.atom, lane)) step = std::gcd(step, term.coefficient);
    if (step == 0) return {};
    const std::int64_t remainder = form->constant - floorDivide(form->constant, step) * step;
    const std::int64_t span = *stride * (lanes - 1);
    if (span > 0 ? remainder - step + span >= 0 : remainder + span < 0) return {};
    e = simplify(substitute(e, [&](const Var& v) { return v == lane ? Expr(0) : Expr(); }));
  }
  return conjunction(conjuncts);
}

class Vectorizer {
 public:
  Vectorizer(const Stmt& root, const GpuFacts& gpu) : gpu_(gpu), simplify_(simplifierFor(root)) {
    visit(root, [&](const Stmt& s) {
      if (s->kind == StmtKind::Allocate) scopes_[s->buffer.get()] = s->scope;
    });
  }

  Stmt operator()(const Stmt& s) {
    if (const std::optional<Chain> chain = chainFrom(s)) return vectorized(s, *chain);
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    return serial(mapped);
  }

 private:
  static Stmt serial(const Stmt& s) {
    if (s->kind != StmtKind::For || s->forKind != ForKind::Vectorized) return s;
    auto node = std::make_shared<StmtNode>(*s);
    node->forKind = ForKind::Serial;
    return node;
  }

  MemoryScope scopeOf(const Buffer& buffer) const {
    const auto found = scopes_.find(buffer.get());
    return found == scopes_.end() ? MemoryScope::Global : found->second;
  }

  Stmt vectorized(const Stmt& s, const Chain& chain) {
    const auto isAnnotated = [](const Stmt& loop) { return loop->forKind == ForKind::Vectorized; };
    const bool annotated = std::any_of(chain.around.begin(), chain.around.end(), isAnnotated);
    if (annotated || scopeOf(chain.store->buffer) == MemoryScope::Global)
      for (std::size_t at = chain.around.size(); at-- > 0;) {
        const Stmt& loop = chain.around[at];
        if (loop->kind != StmtKind::For || (annotated && !isAnnotated(loop))) continue;
        if (Stmt whole = atOnce(chain, at)) return whole;
      }
    return annotated ? rebuilt(chain.around, chain.store) : s;
  }

  /// The chain with the loop number `at` as lanes of the store; null when it cannot be.
  Stmt atOnce(const Chain& chain, std::size_t at) {
    const Stmt& loop = chain.around[at];
    const Stmt& store = chain.store;
    const int widest = gpu_.vectorBytes / largestElementBytes(*store);
    int lanes = static_cast<int>(std::min<std::int64_t>(widest, loop->extent));
    while (lanes > 1 && (loop->extent % lanes != 0 || (lanes & (lanes - 1)) != 0))
      --lanes;
    if (lanes < 2 || !isConst(loop->min, 0) || readsItself(*store)) return nullptr;
    const Var lane = makeVar(loop->var->name);
    simplify_.setRange(lane, {0, lanes - 1});
    Expr value{lane};
    std::vector<Stmt> around = chain.around;
    around.erase(around.begin() + static_cast<std::ptrdiff_t>(at));
    if (loop->extent > lanes) {
      auto outer = std::make_shared<StmtNode>(*loop);
      outer->var = makeVar(loop->var->name);
      outer->extent = loop->extent / lanes;
      if (loop->forKind == ForKind::Vectorized) outer->forKind = ForKind::Unrolled;
      simplify_.setRange(outer->var, {0, outer->extent - 1});
      value = Expr(outer->var) * Expr(lanes) + value;
      around.insert(around.begin() + static_cast<std::ptrdiff_t>(at), outer);
    }
    const auto renamed = [&](const Expr& e) {
      return substitute(e, [&](const Var& v) { return v == loop->var ? value : Expr(); });
    };
    for (Stmt& s : around)
      if (s->kind == StmtKind::If) {
        const Expr condition = withoutLane(renamed(s->condition), lane, lanes, simplify_);
        if (!condition) return nullptr;
        s = makeIf(condition, s->body[0]);
      } else if (uses(s->min, loop->var)) {
        return nullptr;
      }
    const Stmt wide = wideStore(mapExprs(store, renamed), lane, lanes);
    return wide ? rebuilt(around, wide) : nullptr;
  }

  /// Of what the store touches: each of its accesses is to be one instruction.
  static int largestElementBytes(const StmtNode& store) {
    int bytes = store.buffer->type.elementBytes();
    visit(store.value, [&](const Expr& e) {
      if (e->kind == ExprKind::Load) bytes = std::max(bytes, e->buffer->type.elementBytes());
      return true;
    });
    return bytes;
  }

  static bool readsItself(const StmtNode& store) {
    bool reads = false;
    visit(store.value, [&](const Expr& e) {
      reads |= e->kind == ExprKind::Load && e->buffer == store.buffer;
      return !reads;
    });
    return reads;
  }

  Stmt wideStore(const Stmt& store, const Var& lane, int lanes) {
    bool decided = true;
    const auto uniform = [&](const Expr& e) -> Expr {
      if (e->kind != ExprKind::IfThenElse || !uses((*e)[0], lane)) return e;
      const Expr condition = withoutLane((*e)[0], lane, lanes, simplify_);
      decided &= condition.get() != nullptr;
      return decided ? ifThenElse(condition, (*e)[1], (*e)[2]) : e;
    };
    const Stmt plain = mapExprs(store, [&](const Expr& e) { return rewrite(e, uniform); });
    if (!decided) return nullptr;
    Stmt wide = LaneExpander(simplify_, lane, lanes).store(plain);
    if (wide && store->kind == StmtKind::CopyAsync)
      wide = makeCopyAsync(wide->buffer, wide->indices, wide->value);
    if (!wide || !isOneAccess(wide->buffer, wide->indices, lanes)) return nullptr;
    bool good = true;
    visit(wide->value, [&](const Expr& e) {
      if (e->kind == ExprKind::Load && !e->type.isScalar())
        good &= isOneAccess(e->buffer, e->operands, lanes);
      good &= e->kind != ExprKind::Ramp || e->type.lanes == lanes;
      return good;
    });
    return good ? wide : nullptr;
  }

  /// Whether the lanes are neighbours, and start at a multiple of their number where that matters.
  bool isOneAccess(const Buffer& buffer, std::vector<Expr> indices, int lanes) {
    Expr& last = indices.back();
    if (last->kind != ExprKind::Ramp || !isConst((*last)[1], 1)) return false;
    const MemoryScope scope = scopeOf(buffer);
    if (scope == MemoryScope::Register || scope == MemoryScope::PerThread) return true;
    last = Expr((*last)[0]);
    const LinearForm first = simplify_.linear(flatIndex(*buffer, indices));
    return first.constant % lanes == 0 &&
           std::all_of(first.terms.begin(), first.terms.end(),
                       [&](const LinearForm::Term& term) { return term.coefficient % lanes == 0; });
  }

  static Stmt rebuilt(const std::vector<Stmt>& around, Stmt body) {
    for (auto s = around.rbegin(); s != around.rend(); ++s)
      body = serial(withBody(*s, std::move(body)));
    return body;
  }

  const GpuFacts& gpu_;
  IndexSimplifier simplify_;
  std::unordered_map<const BufferNode*, MemoryScope> scopes_;
};

/// Copies that are too narrow to go on while the thread does become stores.
Stmt withoutNarrowCopies(const Stmt& s) {
  constexpr int kNarrowest = 4; // bytes
  if (s->kind == StmtKind::CopyAsync &&
      s->value->type.lanes * s->value->type.elementBytes() < kNarrowest)
    return makeStore(s->buffer, s->indices, s->value);
  return mapChildren(s, withoutNarrowCopies, nullptr);
}

} // namespace

Stmt vectorizeCopies(const Stmt& s, const GpuFacts& gpu) {
  return withoutNarrowCopies(Vectorizer(s, gpu)(s));
}

} // namespace nestwright
