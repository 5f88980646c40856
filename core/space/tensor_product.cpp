#include "core/space/tensor_product.h"

#include "core/space/state_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace nestwright {

namespace {

/// The load, and whether it is widened to float32.
struct Factor {
  Expr load;
  bool widened = false;
};

std::optional<Factor> factorOf(const Expr& e) {
  const bool widens = e->kind == ExprKind::Cast && e->type == kFloat32;
  const Expr& load = widens ? (*e)[0] : e;
  if (load->kind != ExprKind::Load) return std::nullopt;
  return Factor{load, widens};
}

/// The instruction for products of such elements.
const TensorInstruction* instructionFor(const Factor& a, const Factor& b, bool tf32) {
  const DataType type = a.load->type;
  if (b.load->type != type || a.widened != type.isHalf() || b.widened != type.isHalf() ||
      (type == kFloat32 && !tf32))
    return nullptr;
  for (const TensorInstruction& known : tensorInstructions())
    if (known.input == type) return &known;
  return nullptr;
}

/// How far the index moves with the axis; nothing where that is no literal.
std::optional<std::int64_t> slopeOf(const Expr& index, const Axis& axis) {
  if (!uses(index, axis.var)) return 0;
  if (index->kind == ExprKind::Var) return 1;
  const bool isProduct = index->kind == ExprKind::Mul;
  if (!isProduct && index->kind != ExprKind::Add && index->kind != ExprKind::Sub)
    return std::nullopt;
  const std::optional<std::int64_t> a = slopeOf((*index)[0], axis), b = slopeOf((*index)[1], axis);
  if (!a || !b) return std::nullopt;
  std::int64_t slope = 0;
  if (!isProduct) {
    const bool overflows = index->kind == ExprKind::Add ? __builtin_add_overflow(*a, *b, &slope)
                                                        : __builtin_sub_overflow(*a, *b, &slope);
    return overflows ? std::nullopt : std::optional(slope);
  }
  const std::int64_t* factor = asInt((*index)[*a == 0 ? 0 : 1]);
  const bool overflows = factor == nullptr || __builtin_mul_overflow(*a + *b, *factor, &slope);
  return overflows ? std::nullopt : std::optional(slope);
}

/// Whether the axis is a term of one of the indices, and of no other: its steps in memory are even,
/// and forwards.
bool isAlong(const Expr& load, const Axis& axis) {
  const auto uses = [&](const Expr& index) { return nestwright::uses(index, axis.var); };
  const auto found = std::ranges::find_if(load->operands, uses);
  return found != load->operands.end() &&
         std::find_if(found + 1, load->operands.end(), uses) == load->operands.end() &&
         slopeOf(*found, axis).value_or(0) > 0;
}

/// What is found of the axis along which a side of the tiles lies.
struct Side {
  std::optional<int> axis; // the last one that is a number of tiles
  std::string missing;     // why there is none: "28 of i is no multiple of 8"
};

template <class Fits>
Side sideOf(const std::vector<Axis>& axes, int tile, const Fits& fits) {
  Side side;
  for (auto i = static_cast<int>(axes.size()) - 1; i >= 0; --i) {
    const Axis& axis = axes[static_cast<std::size_t>(i)];
    if (!fits(axis)) continue;
    if (axis.extent % tile == 0) return {i, {}};
    if (side.missing.empty())
      side.missing = fmt::format("{} of {} is no multiple of {}", axis.extent, axis.name(), tile);
  }
  if (side.missing.empty()) side.missing = fmt::format("no axis has tiles of {}", tile);
  return side;
}

/// Along which `one`, but not `other`, changes.
Side sideOfOne(const std::vector<Axis>& axes, const Expr& one, const Expr& other, int tile) {
  return sideOf(axes, tile,
                [&](const Axis& axis) { return isAlong(one, axis) && !uses(other, axis.var); });
}

Side sideOfBoth(const std::vector<Axis>& axes, const Expr& a, const Expr& b, int tile) {
  return sideOf(axes, tile, [&](const Axis& axis) { return isAlong(a, axis) && isAlong(b, axis); });
}

/// Of the first one that is missing; empty when none is.
std::string missingOf(std::initializer_list<const Side*> sides) {
  for (const Side* side : sides)
    if (!side->axis) return side->missing;
  return {};
}

} // namespace

std::optional<TensorProduct> tensorProduct(const State& state, int stage,
                                           const SpaceOptions& options, std::string& reason) {
  const Stage& s = state.stage(stage);
  reason = "only a GPU from sm_80 on has tensor cores that we use";
  if (!options.target.gpu || options.target.gpu->architecture.major < 8) return std::nullopt;
  reason = "it is no sum of products in float32";
  if (!hasLoops(s) || s.op->reducer != Reducer::Sum || s.op->output->type != kFloat32 ||
      s.op->body->kind != ExprKind::Mul)
    return std::nullopt;
  const std::optional<Factor> a = factorOf((*s.op->body)[0]), b = factorOf((*s.op->body)[1]);
  if (!a || !b) return std::nullopt;
  TensorProduct product;
  product.instruction = instructionFor(*a, *b, options.tf32);
  reason = fmt::format("no tensor instruction multiplies {} and {}", toString(a->load->type),
                       toString(b->load->type));
  if (product.instruction == nullptr) return std::nullopt;
  const TensorInstruction& tile = *product.instruction;
  const std::vector<Axis>&spatial = s.op->axes, &summed = s.op->reduceAxes;
  const Side k = sideOfBoth(summed, a->load, b->load, tile.k);
  Side m = sideOfOne(spatial, a->load, b->load, tile.m);
  Side n = sideOfOne(spatial, b->load, a->load, tile.n);
  if (!m.axis || !n.axis) { // perhaps the other way round
    m = sideOfOne(spatial, b->load, a->load, tile.m);
    n = sideOfOne(spatial, a->load, b->load, tile.n);
  }
  if (const std::string missing = missingOf({&m, &n, &k}); !missing.empty()) {
    reason = fmt::format("its axes are no numbers of tiles of {} by {} by {}: {}", tile.m, tile.n,
                         tile.k, missing);
    return std::nullopt;
  }
  product.rows = *m.axis;
  product.columns = *n.axis;
  product.summed = *k.axis;
  reason = fmt::format("a warp computes tiles of {} along {}, {} along {} and {} along {} with {}",
                       tile.m, spatial[static_cast<std::size_t>(*m.axis)].name(), tile.n,
                       spatial[static_cast<std::size_t>(*n.axis)].name(), tile.k,
                       summed[static_cast<std::size_t>(*k.axis)].name(), tile.name);
  product.reason = reason;
  return product;
}

} // namespace nestwright
