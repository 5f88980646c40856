#include "core/template/product_task.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

Expr asType(const Expr& value, DataType type) {
  return value->type == type ? value : cast(type, value);
}

/// Batches first, in the order of the task, then two dimensions.
PackedLayout stacked(const std::vector<std::int64_t>& shape, const std::vector<int>& batch,
                     int rows, const char* rowName, int columns, const char* columnName) {
  LayoutMaker maker(shape);
  for (std::size_t i = 0; i < batch.size(); ++i)
    maker.whole(batch[i], batch.size() == 1 ? "b" : fmt::format("b{}", i));
  return maker.whole(rows, rowName).whole(columns, columnName).layout();
}

struct ProductExtents {
  std::int64_t batch = 1, rows = 1, columns = 1, sum = 1;
};

ProductExtents productExtents(const TemplateSubject& subject) {
  const TaskOperator& what = *subject.what;
  ProductExtents extents;
  for (const int axis : what.resultRoles.batch)
    extents.batch *= extentOf(*subject.task, what.op, axis);
  extents.rows = extentOf(*subject.task, what.op, what.resultRoles.spatial[0]);
  extents.columns = extentOf(*subject.task, what.op, what.resultRoles.out);
  extents.sum = subject.op(what.op).reduceAxes[0].extent;
  return extents;
}

} // namespace

TemplateArguments denseArguments(const TemplateSubject& subject, TemplateVersion) {
  const ProductExtents extents = productExtents(subject);
  const TaskOperator& what = *subject.what;
  return TemplateArguments(
      {tensorArgument({extents.rows, extents.sum}, subject.op(what.data).output->type),
       tensorArgument({extents.columns, extents.sum}, subject.op(what.weights).output->type),
       nullptr, toString(subject.op(what.op).output->type)});
}

ComputeDag denseTask(const TemplateArguments& arguments) {
  const std::vector<std::int64_t> dataShape = arguments.shape(0, 2),
                                  weightShape = arguments.shape(1, 2);
  if (dataShape[1] != weightShape[1])
    throw InputError(fmt::format("a product of {} by {} elements and {} by {} has no common sum",
                                 dataShape[0], dataShape[1], weightShape[0], weightShape[1]));
  const DataType type = arguments.namedType(3, arguments.type(0));
  const Op data = placeholder("data", dataShape, arguments.type(0));
  const Op weight = placeholder("weight", weightShape, arguments.type(1));
  const Op product = reduce(
      "dense", Reducer::Sum, {dataShape[0], weightShape[0]}, {{"k", dataShape[1]}},
      [&](const std::vector<Expr>& i, const std::vector<Expr>& k) {
        return asType(read(data, {i[0], k[0]}), type) * asType(read(weight, {i[1], k[0]}), type);
      },
      {"i", "j"});
  if (!arguments.isGiven(2)) return ComputeDag::fromOutputs({product});
  const Op bias = placeholder("bias", arguments.shape(2, 1), arguments.type(2));
  if (bias->output->shape[0] != weightShape[0])
    throw InputError(fmt::format("a bias of {} does not fit {}",
                                 quantity(bias->output->shape[0], "element"),
                                 quantity(weightShape[0], "column")));
  return ComputeDag::fromOutputs(
      {compute("T_add", product->output->shape,
               [&](const std::vector<Expr>& i) {
                 return read(product, {i[0], i[1]}) + asType(read(bias, {i[1]}), type);
               },
               {"ax0", "ax1"})});
}

PackedLayout denseResult(const TemplateSubject& subject) {
  const DimensionRoles& roles = subject.what->resultRoles;
  return LayoutMaker(subject.shape(subject.what->op))
      .whole(roles.spatial[0], "y")
      .whole(roles.out, "x")
      .layout();
}

PackedLayout denseData(const TemplateSubject& subject) {
  const DimensionRoles& roles = subject.what->dataRoles;
  return LayoutMaker(subject.shape(subject.what->data))
      .whole(roles.spatial[0], "y")
      .whole(roles.in, "k")
      .layout();
}

std::map<int, PackedLayout> denseLayouts(const TemplateSubject& subject, const KnobValues&) {
  const TaskOperator& what = *subject.what;
  const DimensionRoles& roles = what.weightRoles;
  return {{what.op, denseResult(subject)},
          {what.data, denseData(subject)},
          {what.weights, LayoutMaker(subject.shape(what.weights))
                             .whole(roles.out, "x")
                             .whole(roles.in, "k")
                             .layout()}};
}

TemplateArguments batchMatmulArguments(const TemplateSubject& subject, TemplateVersion version) {
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

std::map<int, PackedLayout> batchMatmulLayouts(const TemplateSubject& subject, const KnobValues&) {
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

ComputeDag batchMatmulTask(const TemplateArguments& arguments) {
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
    return asType(read(op, std::move(at)), type);
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

std::vector<std::string> productReduceNames(const TaskOperator&) {
  return {"k"};
}

} // namespace nestwright
