#include "core/network/partition/lower_matmul.h"

#include "core/network/graph/operators.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

bool isIdentity(const std::vector<int>& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end());
}

std::vector<int> orIdentity(std::vector<int> permutation, std::size_t rank) {
  if (permutation.empty())
    for (std::size_t d = 0; d < rank; ++d)
      permutation.push_back(static_cast<int>(d));
  return permutation;
}

/// Only the last two dimensions are exchanged.
bool isTransposed(std::vector<int> permutation) {
  if (permutation.size() < 2) return false;
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return isIdentity(permutation);
}

/// The logical dimension of each dimension in memory that is kept: batch dimensions of one element
/// go, they are read at 0 anyway.
std::vector<int> keptDimensions(const Shape& shape, const std::vector<int>& permutation) {
  std::vector<int> logical(shape.size());
  for (std::size_t d = 0; d < permutation.size(); ++d)
    logical[static_cast<std::size_t>(permutation[d])] = static_cast<int>(d);
  std::vector<int> kept;
  const int matrix = static_cast<int>(shape.size()) - 2;
  for (std::size_t e = 0; e < shape.size(); ++e)
    if (shape[e] != 1 || logical[e] >= matrix) kept.push_back(logical[e]);
  return kept;
}

Shape keptShape(const Shape& shape, const std::vector<int>& permutation,
                const std::vector<int>& kept) {
  Shape result;
  for (const int d : kept)
    result.push_back(shape[static_cast<std::size_t>(permutation[static_cast<std::size_t>(d)])]);
  return result;
}

/// Runs of the output: each kept dimension begins one, dropped ones join a neighbour.
ShapeFrame outputFrame(const Shape& shape, const std::vector<int>& logical, int matrix) {
  ShapeFrame frame{shape, {}};
  for (std::size_t e = 0; e < shape.size(); ++e)
    if (shape[e] != 1 || logical[e] >= matrix)
      frame.runs.emplace_back(frame.runs.empty() ? 0 : e, e + 1);
    else if (!frame.runs.empty())
      frame.runs.back().second = e + 1;
  return frame;
}

MatMulForm denseForm(const Network& network, const Node& node, bool mergeRows) {
  const Shape& left = network.tensor(node.inputs[0]).shape;
  const Shape& output = network.outputOf(node).shape;
  MatMulForm form;
  form.leftName = "A";
  form.rightName = "B";
  form.left = mergeRows ? *ShapeFrame::rows(left).view(left) : left;
  form.right = network.tensor(node.inputs[1]).shape;
  form.output = mergeRows ? ShapeFrame::rows(output) : ShapeFrame::identity(output);
  const bool constant = network.isConstant(node.inputs[1]);
  form.build = [constant](const Op& a, const Op& b) { return dense(a, b, constant); };
  return form;
}

MatMulForm batchForm(const Shape& left, const Shape& right, const Shape& output, bool transposed) {
  const std::size_t batch = output.size() - 2;
  MatMulForm form;
  form.leftName = "X";
  form.rightName = "Y";
  form.output = {output, {{0, batch}, {batch, batch + 1}, {batch + 1, batch + 2}}};
  form.left = *ShapeFrame{left, form.output.runs}.view(left);
  form.right = *ShapeFrame{right, form.output.runs}.view(right);
  form.build = [transposed](const Op& x, const Op& y) { return batchMatmul(x, y, transposed); };
  return form;
}

/// What the general form needs to know of one operand.
struct Operand {
  std::vector<int> kept; // logical dimensions in the order of memory
  int batch = 0;         // logical batch dimensions
  int missing = 0;       // batch dimensions that the product has more
};

/// The operand's indices; `first` and `second` stand for its matrix dimensions.
std::vector<Expr> operandIndices(const Operand& operand, const std::vector<Expr>& batch,
                                 const Expr& first, const Expr& second) {
  std::vector<Expr> at;
  for (const int d : operand.kept)
    at.push_back(d < operand.batch    ? batch[static_cast<std::size_t>(d + operand.missing)]
                 : d == operand.batch ? first
                                      : second);
  return at;
}

MatMulForm generalForm(const Shape& left, const Shape& right, const Shape& output,
                       const MatMulAttributes& attributes) {
  const auto l = orIdentity(attributes.left, left.size());
  const auto r = orIdentity(attributes.right, right.size());
  const auto o = orIdentity(attributes.output, output.size());
  const int matrix = static_cast<int>(output.size()) - 2;
  const auto operand = [&](const Shape& shape, const std::vector<int>& permutation) {
    const int batch = static_cast<int>(shape.size()) - 2;
    return Operand{keptDimensions(shape, permutation), batch, matrix - batch};
  };
  const Operand x = operand(left, l), y = operand(right, r);
  MatMulForm form;
  form.leftName = "X";
  form.rightName = "Y";
  form.left = keptShape(left, l, x.kept);
  form.right = keptShape(right, r, y.kept);
  // The output's permutation says which logical dimension each dimension in memory is.
  form.output = outputFrame(output, o, matrix);
  const Shape shape = *form.output.view(output);
  std::vector<int> kept;
  std::vector<std::string> names;
  for (std::size_t e = 0; e < output.size(); ++e)
    if (output[e] != 1 || o[e] >= matrix) {
      kept.push_back(o[e]);
      names.push_back(o[e] == matrix ? "i" : o[e] == matrix + 1 ? "j" : fmt::format("b{}", o[e]));
    }
  const std::int64_t depth = left[static_cast<std::size_t>(l.back())];
  form.build = [=](const Op& a, const Op& b) {
    return reduce(
        "T_batch_matmul", Reducer::Sum, shape, {{"k", depth}},
        [&](const std::vector<Expr>& i, const std::vector<Expr>& k) {
          std::vector<Expr> batch(static_cast<std::size_t>(matrix), Expr(0));
          Expr row, column;
          for (std::size_t e = 0; e < kept.size(); ++e)
            (kept[e] == matrix       ? row
             : kept[e] == matrix + 1 ? column
                                     : batch[static_cast<std::size_t>(kept[e])]) = i[e];
          return widened(read(a, operandIndices(x, batch, row, k[0]))) *
                 widened(read(b, operandIndices(y, batch, k[0], column)));
        },
        names);
  };
  return form;
}

/// x[.., k] * w[k, n] with nothing permuted: a dense layer.
bool isDense(const Network& network, const Node& node) {
  const auto& attributes = node.as<MatMulAttributes>();
  return network.tensor(node.inputs[1]).shape.size() == 2 && isIdentity(attributes.left) &&
         isIdentity(attributes.right) && isIdentity(attributes.output);
}

} // namespace

MatMulForm matMulForm(const Network& network, const Node& node, bool mergeDimensions) {
  if (isDense(network, node)) return denseForm(network, node, mergeDimensions);
  const auto& attributes = node.as<MatMulAttributes>();
  const Shape& left = network.tensor(node.inputs[0]).shape;
  const Shape& right = network.tensor(node.inputs[1]).shape;
  const Shape& output = network.outputOf(node).shape;
  const bool plain = isIdentity(attributes.left) && isIdentity(attributes.output) &&
                     (isIdentity(attributes.right) || isTransposed(attributes.right));
  const bool sameBatch = left.size() == right.size() && left.size() > 2 &&
                         std::equal(left.begin(), left.end() - 2, right.begin());
  if (plain && sameBatch && mergeDimensions)
    return batchForm(left, right, output, isTransposed(attributes.right));
  return generalForm(left, right, output, attributes);
}

} // namespace nestwright
