#include "core/lower/gpu/verify_bounds.h"

#include "core/lower/simplify_indices.h"
#include "core/support/error.h"

namespace nestwright {
namespace {

class BoundsVerifier {
 public:
  explicit BoundsVerifier(const Stmt& launch)
      : kernel_(launch->launch->kernel), simplify_(simplifierFor(launch)) {}

  void statement(const Stmt& s) {
    for (const Expr& e : {s->condition, s->min})
      if (e) expression(e);
    if (s->kind == StmtKind::If) return under(s->condition, [&] { statement(s->body[0]); });
    if (s->condition)
      under(s->condition, [&] { access(s); });
    else
      access(s);
    for (const Stmt& child : s->body)
      statement(child);
  }

 private:
  /// Runs `f` under the condition. What is known never to happen is nowhere outside.
  template <class F>
  void under(const Expr& condition, const F& f) {
    simplify_.assuming(condition, [&] {
      if (!isConst(simplify_(condition), 0)) f();
    });
  }

  void access(const Stmt& s) {
    if (s->value) expression(s->value);
    for (const Expr& index : s->indices)
      expression(index);
    if (s->buffer && s->kind != StmtKind::Allocate) inside(*s->buffer, s->indices);
  }

  void expression(const Expr& e) {
    if (e->kind == ExprKind::IfThenElse) { // a Select may look at both sides
      expression((*e)[0]);
      under((*e)[0], [&] { expression((*e)[1]); });
      under(logicalNot((*e)[0]), [&] { expression((*e)[2]); });
      return;
    }
    for (const Expr& operand : e->operands)
      expression(operand);
    if (e->kind == ExprKind::Load) inside(*e->buffer, e->operands);
  }

  /// Ranges are those of each index apart, so what is in truth inside is never proven outside.
  void inside(const BufferNode& buffer, const std::vector<Expr>& indices) {
    std::int64_t low = 0, high = 0, stride = 1;
    for (std::size_t i = indices.size(); i-- > 0;) {
      // Of a vector its first lane.
      const Expr& first = indices[i]->kind == ExprKind::Ramp ? (*indices[i])[0] : indices[i];
      if (!first->type.isScalar()) return;
      const ValueRange range = simplify_.range(first);
      if (range.low <= -ValueRange::kUnbounded || range.high >= ValueRange::kUnbounded) return;
      std::int64_t lowest = 0, highest = 0;
      if (__builtin_mul_overflow(range.low, stride, &lowest) ||
          __builtin_mul_overflow(range.high, stride, &highest) ||
          __builtin_add_overflow(low, lowest, &low) || __builtin_add_overflow(high, highest, &high))
        return;
      // A single index into a buffer of several dimensions is the element's number.
      if (indices.size() == buffer.shape.size()) stride *= buffer.shape[i];
    }
    const std::int64_t elements = buffer.elements();
    if (low >= elements || high < 0)
      throw IllegalSchedule(
          fmt::format("the kernel {} would touch {} at {} to {}, outside of its {} elements",
                      kernel_, buffer.name, low, high, elements));
  }

  const std::string& kernel_;
  IndexSimplifier simplify_;
};

} // namespace

void verifyBounds(const Stmt& s) {
  visit(s, [&](const Stmt& launch) {
    if (launch->kind == StmtKind::Launch) BoundsVerifier(launch).statement(launch->body[0]);
  });
}

} // namespace nestwright
