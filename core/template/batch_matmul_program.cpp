/// \file Programs of batch_matmul.x86: tiles of each product, whose sums are cut into vectors.

#include "core/support/error.h"
#include "core/template/product_task.h"

namespace nestwright {

namespace batch_matmul {
namespace {

constexpr std::int64_t kMostUnrolled = 16;

TemplateArguments arguments(const TemplateSubject& subject, TemplateVersion version) {
  const ProductExtents extents = productExtents(subject);
  const TaskOperator& what = *subject.what;
  nlohmann::json list{tensorArgument({extents.batch, extents.rows, extents.sum},
                                     subject.op(what.data).output->type),
                      tensorArgument({extents.batch, extents.columns, extents.sum},
                                     subject.op(what.weights).output->type),
                      {extents.batch, extents.rows, extents.columns}};
  if (version == TemplateVersion::V0_11) {
    list.push_back(toString(subject.op(what.op).output->type));
    list.push_back(false); // the first matrix is not transposed,
    list.push_back(true);  // the second is
  }
  return TemplateArguments(std::move(list));
}

/// Batches first, in the order of the task, then two dimensions.
PackedLayout stacked(const std::vector<std::int64_t>& shape, const std::vector<int>& batch,
                     int rows, const char* rowName, int columns, const char* columnName) {
  LayoutMaker maker(shape);
  for (std::size_t i = 0; i < batch.size(); ++i)
    maker.whole(batch[i], batch.size() == 1 ? "b" : fmt::format("b{}", i));
  return maker.whole(rows, rowName).whole(columns, columnName).layout();
}

std::map<int, PackedLayout> layouts(const TemplateSubject& subject, const KnobValues&) {
  const TaskOperator& what = *subject.what;
  const DimensionRoles &result = what.resultRoles, &data = what.dataRoles,
                       &weights = what.weightRoles;
  return {{what.op,
           stacked(subject.shape(what.op), result.batch, result.spatial[0], "y", result.out, "x")},
          {what.data,
           stacked(subject.shape(what.data), data.batch, data.spatial[0], "y", data.in, "k")},
          {what.weights,
           stacked(subject.shape(what.weights), weights.batch, weights.out, "x", weights.in, "k")}};
}

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  using Loop = ScheduleBuilder::Loop;
  const ScheduleBuilder::Stage sums = s.cacheWrite(stages.main);
  if (stages.fused) s.computeInline(stages.main);
  const int batches = static_cast<int>(what.resultRoles.batch.size());
  const auto y = s.split(stages.result, s.axis(stages.result, batches), knobs.innerSizes("tile_y"));
  const auto x =
      s.split(stages.result, s.axis(stages.result, batches + 1), knobs.innerSizes("tile_x"));
  s.reorder(stages.result, {y[0], x[0], y[1], x[1]});
  std::vector<Loop> outer;
  for (int b = 0; b < batches; ++b)
    outer.push_back(s.axis(stages.result, b));
  outer.push_back(y[0]);
  outer.push_back(x[0]);
  const Loop tile = s.fuse(stages.result, outer);
  if (stages.fused) s.annotate(stages.result, x[1], Annotation::Vectorize);
  s.annotate(stages.result, tile, Annotation::Parallel);
  s.computeAt(sums, stages.result, tile);
  const auto k = s.split(sums, s.reduceAxis(sums, 0), knobs.innerSizes("tile_k"));
  const ScheduleBuilder::Stage partial = s.rfactor(sums, k[1], 0);
  s.computeAt(partial, sums, s.axis(sums, batches - 1));
  const Loop lanes = s.axis(partial, 0);
  s.fuse(partial, {s.axis(partial, batches + 1), s.axis(partial, batches + 2)});
  s.annotate(partial, lanes, Annotation::Vectorize);
  s.autoUnroll(stages.result, tile, kMostUnrolled);
}

ComputeDag task(const TemplateArguments& arguments) {
  const std::vector<std::int64_t> first = arguments.shape(0, 3), second = arguments.shape(1, 3);
  if (arguments.flag(4, false))
    throw InputError("a product whose first matrix is transposed has no program of batch_matmul");
  const bool isTransposed = arguments.flag(5, true); // the second
  const std::int64_t columns = second[isTransposed ? 1 : 2], sum = second[isTransposed ? 2 : 1];
  if (first[0] != second[0] || first[2] != sum)
    throw InputError(fmt::format("matrices of the shapes {} and {} have no product",
                                 arguments.list()[0][1].dump(), arguments.list()[1][1].dump()));
  const DataType type = arguments.namedType(3, arguments.type(0));
  const auto element = [&](const Op& op, std::vector<Expr> at) {
    const Expr value = read(op, std::move(at));
    return value->type == type ? value : cast(type, value);
  };
  const Op x = placeholder("x", first, arguments.type(0));
  const Op y = placeholder("y", second, arguments.type(1));
  return ComputeDag::fromOutputs(
      {reduce("T_batch_matmul", Reducer::Sum, {first[0], first[1], columns}, {{"k", sum}},
              [&](const std::vector<Expr>& i, const std::vector<Expr>& k) {
                return element(x, {i[0], i[1], k[0]}) *
                       element(y, isTransposed ? std::vector<Expr>{i[0], i[2], k[0]}
                                               : std::vector<Expr>{i[0], k[0], i[2]});
              },
              {"b", "i", "j"})});
}

} // namespace
} // namespace batch_matmul

const ExecutableTemplate kBatchMatmul{
    .name = "batch_matmul.x86",
    .arguments = batch_matmul::arguments,
    .layouts = batch_matmul::layouts,
    .reduceNames = productReduceNames,
    .schedule = batch_matmul::schedule,
    .operandParallel = 2,
    .operandVectorised = true,
    .task = batch_matmul::task,
};

} // namespace nestwright
