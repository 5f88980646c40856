#include "core/lower/cpu/pair_panels.h"

#include "core/lower/cpu/relay_buffer.h"
#include "core/lower/dot_product.h"
#include "core/lower/scalar_access.h"
#include "core/lower/simplify_indices.h"

#include <algorithm>

namespace nestwright {
namespace {

/// The dimension of the loaded array along which the products of each lane lie, where the lanes
/// move along another one.
std::optional<int> dimensionOf(const DotProduct& dot, const Expr& load, IndexSimplifier& simplify) {
  const auto access = scalarAccess(*load->buffer, load->operands, simplify);
  if (!access || !access->lane) return std::nullopt;
  std::optional<int> found;
  for (std::size_t d = 0; d < access->indices.size(); ++d) {
    if (!uses(access->indices[d], dot.along)) continue;
    const LinearForm form = simplify.linear(access->indices[d]);
    if (found || coefficientOf(form, dot.along) != 1 || coefficientOf(form, access->lane) != 0)
      return std::nullopt;
    found = static_cast<int>(d);
  }
  return found;
}

/// Products of an array beside each other, those that are to be neighbours innermost.
PackedLayout pairedLayout(const Buffer& buffer, int dimension, int length) {
  PackedLayout layout{buffer->shape, {}, {}};
  for (int d = 0; d < static_cast<int>(buffer->shape.size()); ++d) {
    const std::int64_t size = d == dimension ? length : 1;
    layout.parts.push_back({d, buffer->shape[static_cast<std::size_t>(d)] / size, size});
  }
  layout.parts.push_back({dimension, length, 1});
  return layout;
}

/// Whether everything that is stored to the array inside of the statement is copied from another.
bool isFilledByCopying(const Stmt& s, const Buffer& buffer) {
  bool copied = true;
  visit(s, [&](const Stmt& child) {
    if (child->buffer == buffer && child->kind == StmtKind::Store)
      copied &= child->value->kind == ExprKind::Load && child->value->buffer != buffer;
  });
  return copied;
}

class PairPanelsPass {
 public:
  explicit PairPanelsPass(const Stmt& root) : simplify_(simplifierFor(root)) {}

  Stmt operator()(const Stmt& s) {
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    if (mapped->kind != StmtKind::Allocate || mapped->scope == MemoryScope::Register) return mapped;
    const Buffer given = mapped->buffer;
    const std::optional<PackedLayout> layout = layoutFor(mapped->body[0], given);
    if (!layout || !isFilledByCopying(mapped->body[0], given)) return mapped;
    const Buffer packed = makeBuffer(given->name, layout->packedShape(), given->type);
    const Stmt body = relaid(mapped->body[0], given, *layout, packed);
    return body ? makeAllocate(packed, mapped->scope, body) : mapped;
  }

 private:
  /// By the first dot product that reads the array.
  std::optional<PackedLayout> layoutFor(const Stmt& body, const Buffer& given) {
    std::optional<PackedLayout> layout;
    visit(body, [&](const Stmt& s) {
      const std::optional<DotProduct> dot = layout ? std::nullopt : dotProduct(*s);
      if (!dot) return;
      for (const DotFactor* factor : {&dot->first, &dot->second}) {
        if (factor->load->buffer != given) continue;
        const std::optional<int> dimension = dimensionOf(*dot, factor->load, simplify_);
        if (dimension && given->shape[static_cast<std::size_t>(*dimension)] % dot->length == 0)
          layout = pairedLayout(given, *dimension, dot->length);
      }
    });
    return layout;
  }

  IndexSimplifier simplify_;
};

} // namespace

Stmt pairPanels(const Stmt& root) {
  return PairPanelsPass(root)(root);
}

} // namespace nestwright
