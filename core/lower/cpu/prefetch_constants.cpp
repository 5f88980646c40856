#include "core/lower/cpu/prefetch_constants.h"

#include "core/lower/cpu/shared_hints.h"
#include "core/lower/expand_lanes.h"
#include "core/lower/scalar_access.h"
#include "core/lower/simplify_indices.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace nestwright {
namespace {

/// Less is no part that a processor would not fetch by itself, more fits into no cache twice.
constexpr std::int64_t kLeastPart = 4096, kMostPart = std::int64_t{384} << 10;
/// Hints of one step. A step that would need more has no time for them: it reads mostly what was
/// not read before.
constexpr std::int64_t kMostHints = 2;

bool hasSerialLoop(const Stmt& s) {
  bool found = false;
  visit(s, [&](const Stmt& one) {
    found |= one->kind == StmtKind::For && one->forKind != ForKind::Unrolled;
  });
  return found;
}

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// After how many iterations of the loop the expression changes: 1 where it takes the variable as
/// it is, more where it takes quotients of it.
std::int64_t iterationsOf(const Expr& e, const Var& var) {
  if (e->kind == ExprKind::Var) return e->var == var ? 1 : kNever;
  std::int64_t least = kNever;
  for (const Expr& operand : e->operands)
    least = std::min(least, iterationsOf(operand, var));
  const std::int64_t* divisor = e->kind == ExprKind::FloorDiv ? asInt((*e)[1]) : nullptr;
  return least != kNever && divisor ? least * *divisor : least;
}

class PrefetchPass {
 public:
  PrefetchPass(const LoopFunction& function, const ComputeDag& dag)
      : simplify_(simplifierFor(function.body)) {
    std::set<std::string> free;
    for (const Op& op : dag.ops())
      free.insert(op->attributes.layoutFreeInputs.begin(), op->attributes.layoutFreeInputs.end());
    for (int i = 0; i < function.inputCount; ++i)
      if (const Buffer& input = function.parameters[static_cast<std::size_t>(i)];
          free.contains(input->name))
        constants_.push_back(input);
  }

  Stmt operator()(const Stmt& s) {
    if (constants_.empty()) return s;
    const bool isLoop = s->kind == StmtKind::For && s->forKind != ForKind::Unrolled;
    if (isLoop) loops_.push_back(s);
    Stmt result;
    if (isLoop && s->forKind == ForKind::Serial && !hasSerialLoop(s->body[0])) {
      std::vector<Stmt> statements;
      for (const Buffer& constant : constants_)
        addHints(s->body[0], constant, statements);
      statements.push_back(s->body[0]);
      result = statements.size() == 1 ? s : withBody(s, makeSequence(std::move(statements)));
    } else {
      result = mapChildren(
          s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    }
    if (isLoop) loops_.pop_back();
    return result;
  }

 private:
  /// The flat index of the first element that a step reads; null where it reads none.
  Expr firstRead(const Stmt& body, const Buffer& constant) {
    const ExprNode* read = nullptr;
    std::set<Var> unrolled;
    visit(body, [&](const Stmt& s) {
      if (s->kind == StmtKind::For) unrolled.insert(s->var);
      if (s->kind == StmtKind::Store)
        visit(s->value, [&](const Expr& e) {
          if (!read && e->kind == ExprKind::Load && e->buffer == constant) read = e.get();
          return !read;
        });
    });
    if (!read) return {};
    const auto access = scalarAccess(*constant, read->operands, simplify_);
    if (!access) return {};
    const Expr index = flatIndex(*constant, access->indices);
    return substitute(index, [&](const Var& v) {
      return v == access->lane || unrolled.contains(v) ? Expr(0) : Expr();
    });
  }

  /// What tiles read again and again before they go on.
  struct Part {
    std::int64_t elements = 0; // from its first element to that of the next part
    Expr turn = Expr(0);       // how often it was read since
    std::int64_t turns = 1;    // in all
  };

  /// Outward from the loops that go through the part: those that read it again, up to the one that
  /// goes on to the next.
  std::optional<Part> partAround(const LinearForm& position, std::size_t inner) {
    Part part;
    std::vector<std::pair<Expr, std::int64_t>> digits; // innermost first
    for (std::size_t i = inner; i-- > 0;) {
      const StmtNode& loop = *loops_[i];
      std::int64_t iterations = kNever;
      for (const LinearForm::Term& term : position.terms) {
        const std::int64_t own = iterationsOf(term.atom, loop.var);
        if (own == kNever || own > iterations) continue;
        const std::int64_t elements = std::abs(term.coefficient);
        part.elements = own < iterations ? elements : std::min(part.elements, elements);
        iterations = own;
      }
      const Expr at = Expr(loop.var) - loop.min;
      if (iterations >= loop.extent) {
        digits.emplace_back(at, loop.extent);
        continue;
      }
      if (iterations > 1) digits.emplace_back(floorMod(at, Expr(iterations)), iterations);
      for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        part.turn = part.turn * Expr(digit->second) + digit->first;
        part.turns *= digit->second;
      }
      return part;
    }
    return std::nullopt; // all of it is one part
  }

  void addHints(const Stmt& body, const Buffer& constant, std::vector<Stmt>& hints) {
    const Expr first = firstRead(body, constant);
    if (!first) return;
    const LinearForm position = simplify_.linear(first);
    const auto moves = [&](const Stmt& loop) {
      return coefficientOf(position, loop->var).value_or(0) != 0;
    };
    std::size_t inner = loops_.size(); // the first of the loops that go through the part
    std::int64_t steps = 1;
    while (inner > 0 && loops_[inner - 1]->forKind == ForKind::Serial && moves(loops_[inner - 1]))
      steps *= loops_[--inner]->extent;
    if (inner == loops_.size()) return;
    const std::optional<Part> part = partAround(position, inner);
    if (!part || part->turns < 2) return;
    const std::int64_t element = constant->type.elementBytes();
    if (part->elements * element < kLeastPart || part->elements * element > kMostPart) return;
    const std::int64_t shares = part->turns * steps;
    const std::int64_t share = (part->elements + shares - 1) / shares;
    if (hintsFor(constant, share) > kMostHints) return;
    const Expr begin = substitute(first, [&](const Var& v) {
      for (std::size_t i = inner; i < loops_.size(); ++i)
        if (loops_[i]->var == v) return loops_[i]->min;
      return Expr();
    });
    const Expr step = part->turn * Expr(steps) + stepOf(std::span(loops_).subspan(inner));
    std::ranges::move(hintsOfStep(constant, begin + Expr(part->elements), step, share,
                                  PrefetchFor::Reading, simplify_),
                      std::back_inserter(hints));
  }

  IndexSimplifier simplify_;
  std::vector<Buffer> constants_;
  std::vector<Stmt> loops_; // around, outermost first; none that is unrolled
};

} // namespace

Stmt prefetchConstants(const LoopFunction& function, const ComputeDag& dag) {
  return PrefetchPass(function, dag)(function.body);
}

} // namespace nestwright
