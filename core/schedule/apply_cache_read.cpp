/// \file Cache-read: some readers of X read a copy of it, X.scope, that is computed where it suits
/// them.

#include "core/schedule/step_applier.h"
#include "core/support/quantity.h"

#include <algorithm>

namespace nestwright {

namespace {

Op copyOf(const Op& source, std::string name) {
  std::vector<std::string> axisNames;
  for (std::size_t d = 0; d < source->output->shape.size(); ++d)
    axisNames.push_back(fmt::format("ax{}", d));
  return compute(
      std::move(name), source->output->shape,
      [&](const std::vector<Expr>& axes) { return read(source, axes); }, std::move(axisNames));
}

Expr redirected(const Expr& body, const Buffer& from, const Op& to) {
  return rewrite(body, [&](const Expr& e) {
    return e->kind == ExprKind::Load && e->buffer == from ? read(to, e->operands) : e;
  });
}

} // namespace

void StepApplier::operator()(const CacheReadStep& step) {
  if (step.stage < 0 || step.stage >= state_.stageCount())
    refuse("there is no stage {}; the program has {}", step.stage,
           quantity(state_.stageCount(), "stage"));
  if (step.scope.empty()) refuse("the scope of the cache is empty");
  if (step.readers.empty()) refuse("no stage is to read the cache");
  const Op source = state_.current_[step.stage];
  // Several caches of one tensor are X.shared, X.d.shared, X.d.d.shared.
  std::string name = state_.stage(step.stage).name();
  while (hasStage(fmt::format("{}.{}", name, step.scope)))
    name += ".d";

  const Op copy = copyOf(source, fmt::format("{}.{}", name, step.scope));
  std::vector<Op> ops = state_.current_.ops();
  for (const int id : step.readers) {
    OpNode reader = *computeStage(id).op;
    const Expr body = redirected(reader.body, source->output, copy);
    if (body.sameAs(reader.body))
      refuse("{} does not read {}", state_.stage(id).name(), state_.stage(step.stage).name());
    reader.body = body;
    ops[id] = std::make_shared<const OpNode>(std::move(reader));
  }
  for (const int id : step.readers)
    state_.mutableStage(id).op = ops[id];
  ops.insert(ops.begin() + step.stage + 1, copy);
  insertStage(step.stage + 1, copy, std::move(ops));
  state_.mutableStage(step.stage + 1).scope = scopeNamed(step.scope);
}

} // namespace nestwright
