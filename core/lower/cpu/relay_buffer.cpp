#include "core/lower/cpu/relay_buffer.h"

#include "core/lower/dot_product.h"
#include "core/lower/expand_lanes.h"
#include "core/lower/scalar_access.h"
#include "core/lower/simplify_indices.h"

namespace nestwright {
namespace {

/// How much arithmetic an address takes.
int priceOf(const LinearForm& position) {
  constexpr int kDivision = 8; // additions
  int price = 0;
  for (const LinearForm::Term& term : position.terms) {
    ++price;
    visit(term.atom, [&](const Expr& e) {
      if (e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod) price += kDivision;
      return true;
    });
  }
  return price;
}

class Relayout {
 public:
  Relayout(const Stmt& root, Buffer given, const PackedLayout& layout, Buffer packed)
      : given_(std::move(given)), layout_(layout), packed_(std::move(packed)),
        simplify_(simplifierFor(root)) {}

  Stmt operator()(const Stmt& s) {
    const std::optional<DotProduct> dot = dotProduct(*s);
    if (dot) dot_ = dot;
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); },
        [this](const Expr& e) { return loads(e); });
    if (dot) dot_.reset();
    if (mapped->buffer != given_) return mapped;
    auto node = std::make_shared<StmtNode>(*mapped);
    node->buffer = packed_;
    if (mapped->kind == StmtKind::Store) {
      auto indices = moved(mapped->indices);
      if (!indices) return refused(s);
      node->indices = std::move(*indices);
    }
    return node;
  }

  bool dearer = false; // an access became so

 private:
  Expr loads(const Expr& root) {
    return rewrite(root, [this](const Expr& e) {
      if (e->kind != ExprKind::Load || e->buffer != given_) return e;
      auto indices = moved(e->operands);
      return indices ? loadAt(packed_, std::move(*indices)) : refused(e);
    });
  }

  /// The indices in the packed buffer of what had these in the given one; nothing when dearer.
  std::optional<std::vector<Expr>> moved(const std::vector<Expr>& indices) {
    const std::optional<ScalarAccess> access = scalarAccess(*given_, indices, simplify_);
    if (!access) return std::nullopt;
    std::vector<Expr> parts;
    for (const PackedLayout::Part& part : layout_.parts) {
      Expr index = access->indices[static_cast<std::size_t>(part.dimension)];
      for (const std::int64_t size : layout_.enclosingSizes(part))
        index = simplify_(floorMod(index, Expr(size)));
      parts.push_back(simplify_(floorDiv(index, Expr(part.size))));
    }
    const LinearForm position = simplify_.linear(flatIndex(*packed_, parts));
    if (priceOf(position) > priceOf(access->position)) return std::nullopt;
    if (access->lanes == 1) return parts;
    const auto stride = coefficientOf(position, access->lane);
    const auto before = coefficientOf(access->position, access->lane);
    const bool neighbours = stride && (*stride == 1 || isOfDot(position, *stride));
    if (!stride || *stride == 0 || (!neighbours && before && *before == 1)) return std::nullopt;
    const Expr lanes =
        LaneExpander(simplify_, access->lane, access->lanes).expand(load(packed_, parts));
    return lanes ? std::optional(lanes->operands) : std::nullopt;
  }

  /// Whether what an instruction adds up in a lane lies between this lane and the next one.
  bool isOfDot(const LinearForm& position, std::int64_t stride) const {
    return dot_ && stride == dot_->length && coefficientOf(position, dot_->along) == 1;
  }

  template <class Node>
  Node refused(const Node& node) {
    dearer = true;
    return node;
  }

  const Buffer given_;
  const PackedLayout& layout_;
  const Buffer packed_;
  IndexSimplifier simplify_;
  std::optional<DotProduct> dot_; // that is being rewritten
};

} // namespace

Stmt relaid(const Stmt& root, const Buffer& given, const PackedLayout& layout,
            const Buffer& packed) {
  Relayout pass(root, given, layout, packed);
  Stmt result = pass(root);
  return pass.dearer ? nullptr : result;
}

} // namespace nestwright
