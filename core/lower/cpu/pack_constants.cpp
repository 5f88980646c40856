#include "core/lower/cpu/pack_constants.h"

#include "core/lower/cpu/relay_buffer.h"
#include "core/lower/read_order.h"

#include <algorithm>

namespace nestwright {
namespace {

/// The operator that allows this input another layout; null when none does.
Op layoutFreeReader(const ComputeDag& dag, const std::string& input) {
  for (const Op& op : dag.ops()) {
    const std::vector<std::string>& free = op->attributes.layoutFreeInputs;
    if (op->isCompute() && std::find(free.begin(), free.end(), input) != free.end()) return op;
  }
  return nullptr;
}

/// The axis that each dimension is first read along, "d0", "d1", ... where it is none.
std::vector<std::string> axisNames(const Op& reader, const std::string& input, std::size_t rank) {
  std::vector<std::string> names(rank);
  bool found = false;
  visit(reader->body, [&](const Expr& e) {
    if (found || e->kind != ExprKind::Load || e->buffer->name != input) return !found;
    found = true;
    for (std::size_t d = 0; d < std::min(rank, e->operands.size()); ++d)
      visit((*e)[d], [&](const Expr& index) {
        if (index->kind == ExprKind::Var && names[d].empty()) names[d] = index->var->name;
        return true;
      });
    return false;
  });
  for (std::size_t d = 0; d < rank; ++d)
    if (names[d].empty()) names[d] = fmt::format("d{}", d);
  return names;
}

/// The operator that sums products of which this input is the second factor; null when none does.
Op secondOperandReader(const ComputeDag& dag, const std::string& input) {
  for (const Op& op : dag.ops()) {
    if (!op->isCompute() || !op->reducer || op->body->kind != ExprKind::Mul) continue;
    const Expr& factor = (*op->body)[1];
    if (factor->kind == ExprKind::Load && factor->buffer->name == input) return op;
  }
  return nullptr;
}

/// `readerOf` gives the operator on whose account an input may have another layout, or null.
void packInputs(LoopFunction& function, const ComputeDag& dag,
                Op (*readerOf)(const ComputeDag&, const std::string&)) {
  function.layouts.assign(static_cast<std::size_t>(function.inputCount), std::nullopt);
  for (std::size_t i = 0; i < function.layouts.size(); ++i) {
    const Buffer given = function.parameters[i];
    const Op reader = readerOf(dag, given->name);
    if (!reader) continue;
    std::optional<PackedLayout> layout = readOrder(function.body, given);
    if (!layout) continue;
    layout->axes = axisNames(reader, given->name, given->shape.size());
    const Buffer packed = makeBuffer(given->name, layout->packedShape(), given->type);
    const Stmt body = relaid(function.body, given, *layout, packed);
    if (!body) continue;
    function.body = body;
    function.parameters[i] = packed;
    function.layouts[i] = std::move(layout);
  }
}

} // namespace

void packConstants(LoopFunction& function, const ComputeDag& dag) {
  packInputs(function, dag, layoutFreeReader);
}

void packSecondOperands(LoopFunction& function, const ComputeDag& dag) {
  packInputs(function, dag, secondOperandReader);
}

} // namespace nestwright
