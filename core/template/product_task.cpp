#include "core/template/product_task.h"

#include "core/support/error.h"

namespace nestwright {

namespace {

Expr asType(const Expr& value, DataType type) {
  return value->type == type ? value : cast(type, value);
}

} // namespace

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
    throw InputError(fmt::format("a bias of {} elements does not fit {} columns",
                                 bias->output->shape[0], weightShape[0]));
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

std::vector<std::string> productReduceNames(const TaskOperator&) {
  return {"k"};
}

} // namespace nestwright
