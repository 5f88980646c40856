#include "core/lower/read_order.h"

#include "core/lower/dot_product.h"
#include "core/lower/scalar_access.h"
#include "core/lower/simplify_indices.h"

#include <algorithm>
#include <limits>

namespace nestwright {
namespace {

constexpr double kMostGaps = 0.25; // of the array

/// A read and the loops around it, outermost first.
struct Read {
  std::vector<Expr> indices;
  std::vector<Var> loops;
  Var along; // what an instruction adds up in each lane, if the read is of such a product
  double iterations = 0;
};

class ReadFinder {
 public:
  explicit ReadFinder(const Buffer& buffer) : buffer_(buffer) {}

  /// Finds the read that runs most often.
  void operator()(const Stmt& s) {
    for (const Expr& e : s->indices)
      look(e);
    for (const Expr& e : {s->min, s->value, s->condition})
      if (e) look(e);
    const bool isLoop = s->kind == StmtKind::For;
    if (isLoop) {
      loops_.push_back(s->var);
      iterations_ *= static_cast<double>(s->extent);
      if (dotProduct(*s)) along_ = s->var;
    }
    for (const Stmt& child : s->body)
      (*this)(child);
    if (isLoop) {
      loops_.pop_back();
      iterations_ /= static_cast<double>(s->extent);
      along_ = nullptr;
    }
  }

  Read most;

 private:
  void look(const Expr& root) {
    visit(root, [&](const Expr& e) {
      if (e->kind != ExprKind::Load || e->buffer != buffer_) return true;
      const double iterations = iterations_ * e->type.lanes;
      if (iterations > most.iterations) most = {e->operands, loops_, along_, iterations};
      return true;
    });
  }

  const Buffer& buffer_;
  std::vector<Var> loops_;
  Var along_;
  double iterations_ = 1;
};

/// A part and where among the loops its position changes.
struct PlacedPart {
  PackedLayout::Part part;
  std::size_t depth = 0;       // of the loop
  std::int64_t iterations = 1; // of that loop between two changes: fused loops have several parts
};

/// What a part of a loop's variable is: the variable, or quotients and remainders of it.
struct LoopPart {
  Var var;
  std::int64_t iterations = 1;
};

std::optional<LoopPart> loopPartOf(const Expr& atom) {
  if (atom->kind == ExprKind::Var) return LoopPart{atom->var, 1};
  if (atom->kind != ExprKind::FloorDiv && atom->kind != ExprKind::FloorMod) return std::nullopt;
  const std::int64_t* divisor = asInt((*atom)[1]);
  std::optional<LoopPart> part = divisor ? loopPartOf((*atom)[0]) : std::nullopt;
  if (part && atom->kind == ExprKind::FloorDiv) part->iterations *= *divisor;
  return part;
}

/// The parts of all dimensions in the order of the loops; nothing when an index cannot be cut.
std::optional<std::vector<PlacedPart>> partsOf(const BufferNode& buffer, const ScalarAccess& access,
                                               const Read& read, IndexSimplifier& simplify) {
  const std::vector<Var>& loops = read.loops;
  std::vector<PlacedPart> parts;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    std::vector<PlacedPart> own;
    for (const LinearForm::Term& term : simplify.linear(access.indices[d]).terms) {
      const std::optional<LoopPart> loopPart = loopPartOf(term.atom);
      if (!loopPart) return std::nullopt;
      const auto loop = std::find(loops.begin(), loops.end(), loopPart->var);
      if (loop == loops.end() && loopPart->var != access.lane) return std::nullopt;
      // Lanes are innermost, but for what belongs to each of them.
      const std::ptrdiff_t depth =
          loopPart->var == read.along ? std::ssize(loops) + 1 : loop - loops.begin();
      own.push_back({{static_cast<int>(d), 1, std::abs(term.coefficient)},
                     static_cast<std::size_t>(depth),
                     loopPart->iterations});
    }
    // A dimension of which one element is read stays as it is, outside of everything.
    if (own.empty() && buffer.shape[d] > 1)
      own.push_back({{static_cast<int>(d), 1, 1}, 0, std::numeric_limits<std::int64_t>::max()});
    std::sort(own.begin(), own.end(),
              [](const auto& a, const auto& b) { return a.part.size > b.part.size; });
    std::int64_t whole = buffer.shape[d];
    for (PlacedPart& placed : own) {
      if (&placed != &own.front() && placed.part.size == whole) return std::nullopt;
      placed.part.extent = (whole + placed.part.size - 1) / placed.part.size;
      whole = placed.part.size;
    }
    if (whole != 1) return std::nullopt;
    parts.insert(parts.end(), own.begin(), own.end());
  }
  std::stable_sort(parts.begin(), parts.end(), [](const PlacedPart& a, const PlacedPart& b) {
    return a.depth != b.depth ? a.depth < b.depth : a.iterations > b.iterations;
  });
  return parts;
}

/// Joins parts that follow each other in memory as they do in their dimension.
void joinParts(PackedLayout& layout) {
  std::vector<PackedLayout::Part>& parts = layout.parts;
  for (std::size_t i = 0; i + 1 < parts.size();) {
    const PackedLayout::Part outer = parts[i], inner = parts[i + 1];
    const bool next = outer.dimension == inner.dimension && layout.whole(inner) == outer.size;
    if (!next || outer.size % inner.size != 0) {
      ++i;
      continue;
    }
    const std::int64_t whole = layout.whole(outer);
    parts[i] = {inner.dimension, (whole + inner.size - 1) / inner.size, inner.size};
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

bool isGivenOrder(const PackedLayout& layout) {
  for (std::size_t i = 0; i < layout.parts.size(); ++i)
    if (layout.parts[i].size != 1 ||
        (i > 0 && layout.parts[i].dimension <= layout.parts[i - 1].dimension))
      return false;
  return true;
}

} // namespace

std::optional<PackedLayout> readOrder(const Stmt& root, const Buffer& buffer) {
  ReadFinder find(buffer);
  find(root);
  if (find.most.iterations == 0 || buffer->shape.empty()) return std::nullopt;
  IndexSimplifier simplify = simplifierFor(root);
  const std::optional<ScalarAccess> access = scalarAccess(*buffer, find.most.indices, simplify);
  if (!access) return std::nullopt;
  const auto parts = partsOf(*buffer, *access, find.most, simplify);
  if (!parts) return std::nullopt;
  PackedLayout layout{buffer->shape, {}, {}};
  for (const PlacedPart& placed : *parts)
    layout.parts.push_back(placed.part);
  joinParts(layout);
  if (isGivenOrder(layout)) return std::nullopt;
  const auto given = static_cast<double>(buffer->elements());
  if (static_cast<double>(layout.packedElements()) > (1 + kMostGaps) * given) return std::nullopt;
  return layout;
}

} // namespace nestwright
