#include "core/network/graph/operators.h"

#include "core/support/error.h"

namespace nestwright {

std::vector<std::string> axisNames(std::size_t rank, const std::string& prefix) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rank; ++i)
    names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

bool isNarrow(DataType type) {
  return type.isInt() && type.bits <= 16;
}

Expr widened(const Expr& element) {
  return isNarrow(element->type) ? cast(kInt32, element) : widenedHalf(element);
}

Expr widenedHalf(const Expr& element) {
  return element->type.isHalf() ? cast(kFloat32, element) : element;
}

Op toType(const Op& x, DataType type) {
  if (x->output->type == type) return x;
  return compute(
      "T_cast", x->output->shape,
      [&](const std::vector<Expr>& i) { return cast(type, read(x, i)); },
      axisNames(x->output->shape.size()));
}

Op pad(const Op& x, const Shape& before, const Shape& after, const Expr& value,
       const std::string& name, const std::string& axisPrefix) {
  const Shape& in = x->output->shape;
  Shape out = in;
  bool any = false;
  for (std::size_t d = 0; d < in.size(); ++d) {
    out[d] += before[d] + after[d];
    any = any || before[d] != 0 || after[d] != 0;
  }
  if (!any) return x;
  return compute(
      name, out,
      [&](const std::vector<Expr>& i) {
        Expr inside;
        const auto require = [&inside](const Expr& c) { inside = inside ? (inside && c) : c; };
        std::vector<Expr> index = i;
        for (std::size_t d = 0; d < in.size(); ++d) {
          if (before[d] != 0) {
            require(i[d] >= Expr(before[d]));
            index[d] = i[d] - Expr(before[d]);
          }
          if (after[d] != 0) require(i[d] < Expr(before[d] + in[d]));
        }
        return ifThenElse(inside, read(x, index), value);
      },
      axisNames(in.size(), axisPrefix));
}

std::optional<Shape> broadcastShape(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Expr broadcastRead(const Op& x, const std::vector<Expr>& indices, const Shape& shape) {
  const Shape& in = x->output->shape;
  NW_ASSERT(in.size() <= shape.size(), "{} has more dimensions than what it is broadcast to",
            x->name());
  const std::size_t skip = shape.size() - in.size();
  std::vector<Expr> index;
  for (std::size_t d = 0; d < in.size(); ++d)
    index.push_back(in[d] == shape[skip + d] ? indices[skip + d] : Expr(0));
  return read(x, std::move(index));
}

Op add(const Op& a, const Op& b, const std::string& name) {
  const auto shape = broadcastShape(a->output->shape, b->output->shape);
  NW_ASSERT(shape, "{} and {} do not broadcast", a->name(), b->name());
  return compute(
      name, *shape,
      [&](const std::vector<Expr>& i) {
        return widened(broadcastRead(a, i, *shape)) + widened(broadcastRead(b, i, *shape));
      },
      axisNames(shape->size()));
}

Op relu(const Op& x, const std::string& name) {
  return compute(
      name, x->output->shape,
      [&](const std::vector<Expr>& i) { return max(read(x, i), zeroOf(x->output->type)); },
      axisNames(x->output->shape.size(), "i"));
}

Op dense(const Op& x, const Op& weight, bool layoutFree) {
  Shape shape = x->output->shape;
  const std::int64_t depth = shape.back();
  shape.back() = weight->output->shape[1];
  std::vector<std::string> names =
      shape.size() == 2 ? std::vector<std::string>{"i", "j"} : axisNames(shape.size(), "i");
  OpAttributes attributes;
  if (layoutFree) attributes.layoutFreeInputs = {weight->name()};
  return reduce(
      "C", Reducer::Sum, shape, {{"k", depth}},
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        std::vector<Expr> index(i.begin(), i.end() - 1);
        index.push_back(r[0]);
        return widened(read(x, index)) * widened(read(weight, {r[0], i.back()}));
      },
      names, attributes);
}

Op batchMatmul(const Op& x, const Op& y, bool transposed) {
  const Shape& left = x->output->shape;
  const std::int64_t columns = y->output->shape[transposed ? 1 : 2];
  return reduce(transposed ? "T_batch_matmul_NT" : "T_batch_matmul_NN", Reducer::Sum,
                {left[0], left[1], columns}, {{"k", left[2]}},
                [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
                  return widened(read(x, {i[0], i[1], r[0]})) *
                         widened(transposed ? read(y, {i[0], i[2], r[0]})
                                            : read(y, {i[0], r[0], i[2]}));
                },
                {"b", "i", "j"});
}

namespace {

/// The largest element of each row, exp(x - largest), and the sum of these.
struct SoftmaxParts {
  Op largest, exponent, sum;
};

std::vector<Expr> rowOf(const std::vector<Expr>& i) {
  return {i.begin(), i.end() - 1};
}

std::vector<Expr> withLast(std::vector<Expr> i, const Expr& k) {
  i.push_back(k);
  return i;
}

SoftmaxParts softmaxParts(const Op& x) {
  const Shape& shape = x->output->shape;
  const Shape rows(shape.begin(), shape.end() - 1);
  const std::vector<std::string> rowNames = axisNames(rows.size(), "i");
  SoftmaxParts parts;
  parts.largest = reduce(
      "T_softmax_maxelem", Reducer::Max, rows, {{"k", shape.back()}},
      [&](const auto& i, const auto& r) { return widened(read(x, withLast(i, r[0]))); }, rowNames);
  parts.exponent = compute(
      "T_softmax_exp", shape,
      [&](const auto& i) {
        return call(Intrinsic::Exp, {widened(read(x, i)) - read(parts.largest, rowOf(i))});
      },
      axisNames(shape.size(), "i"));
  parts.sum = reduce(
      "T_softmax_expsum", Reducer::Sum, rows, {{"k", shape.back()}},
      [&](const auto& i, const auto& r) { return read(parts.exponent, withLast(i, r[0])); },
      rowNames);
  return parts;
}

} // namespace

Op softmax(const Op& x) {
  const SoftmaxParts parts = softmaxParts(x);
  return compute(
      "T_softmax_norm", x->output->shape,
      [&](const auto& i) { return read(parts.exponent, i) / read(parts.sum, rowOf(i)); },
      axisNames(x->output->shape.size(), "i"));
}

Op logSoftmax(const Op& x) {
  const SoftmaxParts parts = softmaxParts(x);
  return compute(
      "T_log_softmax", x->output->shape,
      [&](const auto& i) {
        return widened(read(x, i)) - read(parts.largest, rowOf(i)) -
               call(Intrinsic::Log, {read(parts.sum, rowOf(i))});
      },
      axisNames(x->output->shape.size(), "i"));
}

Op layerNorm(const Op& x, const Op& gamma, const Op& beta, double epsilon) {
  const Shape& shape = x->output->shape;
  const Shape rows(shape.begin(), shape.end() - 1);
  const DataType type = x->output->type;
  const Expr count = floatImm(static_cast<double>(shape.back()), type);
  const Op sum = reduce(
      "norm_sum", Reducer::Sum, rows, {{"k", shape.back()}},
      [&](const auto& i, const auto& r) { return read(x, withLast(i, r[0])); },
      axisNames(rows.size(), "i"));
  const Op mean = compute(
      "norm_mean", rows, [&](const auto& i) { return read(sum, i) / count; },
      axisNames(rows.size(), "i"));
  const Op squares = reduce(
      "norm_squares", Reducer::Sum, rows, {{"k", shape.back()}},
      [&](const auto& i, const auto& r) {
        const Expr difference = read(x, withLast(i, r[0])) - read(mean, i);
        return difference * difference;
      },
      axisNames(rows.size(), "i"));
  const Op scale = compute(
      "norm_scale", rows,
      [&](const auto& i) {
        return call(Intrinsic::Rsqrt, {read(squares, i) / count + floatImm(epsilon, type)});
      },
      axisNames(rows.size(), "i"));
  return compute(
      "norm", shape,
      [&](const auto& i) {
        return (read(x, i) - read(mean, rowOf(i))) * read(scale, rowOf(i)) *
                   read(gamma, {i.back()}) +
               read(beta, {i.back()});
      },
      axisNames(shape.size(), "i"));
}

} // namespace nestwright
