// ONNX matrix products and sums of products over named indices, as the standard defines them.

#include "core/network/graph/infer.h"
#include "core/network/onnx_reference/reference_node.h"
#include "core/support/quantity.h"

#include <algorithm>

namespace nestwright::onnx_reference {

namespace {

/// The product of [m, k] and [k, n] matrices from `a` and `b` on, row by row.
template <class Number>
void multiply(const Array& left, std::int64_t a, const Array& right, std::int64_t b, std::int64_t m,
              std::int64_t k, std::int64_t n, std::vector<Number>& sums, std::int64_t to) {
  const auto run = [&](const auto* x, const auto* y) {
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < k; ++j) {
        const auto factor = static_cast<Number>(x[a + i * k + j]);
        for (std::int64_t c = 0; c < n; ++c)
          sums[at(to + i * n + c)] += factor * static_cast<Number>(y[b + j * n + c]);
      }
  };
  if (left.isFloat())
    run(left.floats().data(), right.floats().data());
  else
    run(left.ints().data(), right.ints().data());
}

template <class Number, class Element>
Array product(const ReferenceNode& node, const Array& left, const Array& right) {
  const Shape &a = left.shape, &b = right.shape;
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2])
    node.fail(fmt::format("the inner extents differ: {} times {}", shapeText(a), shapeText(b)));
  const std::int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  const Shape batchA(a.begin(), a.end() - 2), batchB(b.begin(), b.end() - 2);
  Shape shape = broadcast(node, batchA, batchB);
  const std::vector<std::int64_t> fromA = positionsIn(batchA, shape);
  const std::vector<std::int64_t> fromB = positionsIn(batchB, shape);
  std::vector<Number> sums(fromA.size() * at(m * n), 0);
  for (std::size_t i = 0; i < fromA.size(); ++i)
    multiply(left, fromA[i] * m * k, right, fromB[i] * k * n, m, k, n, sums,
             static_cast<std::int64_t>(i) * m * n);
  shape.insert(shape.end(), {m, n});
  return {shape, std::vector<Element>(sums.begin(), sums.end())};
}

Array matrixProduct(const ReferenceNode& node, const Array& a, const Array& b) {
  if (a.isFloat() != b.isFloat()) node.fail("the operands differ in type");
  return a.isFloat() ? product<double, float>(node, a, b)
                     : product<std::int64_t, std::int64_t>(node, a, b);
}

Results matMul(const ReferenceNode& node) {
  Array a = node[0], b = node[1];
  if (a.shape.empty() || b.shape.empty()) node.fail("a scalar is no matrix");
  const bool row = a.shape.size() == 1, column = b.shape.size() == 1;
  if (row) a.shape.insert(a.shape.begin(), 1);
  if (column) b.shape.push_back(1);
  Array result = matrixProduct(node, a, b);
  if (column) result.shape.pop_back();
  if (row) result.shape.erase(result.shape.end() - (column ? 1 : 2));
  return {result};
}

Array turned(const ReferenceNode& node, const Array& x) {
  if (x.shape.size() != 2) node.fail("an operand is no matrix");
  const std::int64_t rows = x.shape[1], columns = x.shape[0];
  return picked(x, {rows, columns},
                [&](std::int64_t i) { return i % columns * rows + i / columns; });
}

Results gemm(const ReferenceNode& node) {
  const Array a = node.integer("transA", 0) != 0 ? turned(node, node[0]) : node[0];
  const Array b = node.integer("transB", 0) != 0 ? turned(node, node[1]) : node[1];
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  Array result = mapReal(matrixProduct(node, a, b), [=](double x) { return alpha * x; });
  if (!node.has(2)) return {result};
  if (broadcast(node, result.shape, node.shape(2)) != result.shape)
    node.fail("the third operand does not broadcast to the product");
  const std::vector<std::int64_t> places = positionsIn(node.shape(2), result.shape);
  auto& sums = std::get<std::vector<float>>(result.data);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = static_cast<float>(sums[i] + beta * realAt(node[2], places[i]));
  return {result};
}

/// An index of an equation: a letter, or a digit for one that an ellipsis stands for, counted from
/// the last.
using Labels = std::string;

struct Equation {
  std::vector<Labels> operands;
  Labels result;
};

Labels expanded(const ReferenceNode& node, const std::string& term, std::size_t rank) {
  const std::size_t dots = term.find("...");
  if (dots == std::string::npos) return term;
  const std::size_t named = term.size() - 3;
  if (named > rank || rank - named > 9) node.fail("an ellipsis does not fit its operand");
  Labels labels = term.substr(0, dots);
  for (std::size_t d = rank - named; d-- > 0;)
    labels += static_cast<char>('0' + d);
  return labels + term.substr(dots + 3);
}

Equation readEquation(const ReferenceNode& node) {
  std::string text = node.text("equation", "");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow) + ",";
  Equation equation;
  std::size_t dots = 0; // how many indices the widest ellipsis stands for
  for (std::size_t comma; (comma = left.find(',')) != std::string::npos;
       left = left.substr(comma + 1)) {
    const std::string term = left.substr(0, comma);
    const std::size_t i = equation.operands.size();
    equation.operands.push_back(expanded(node, term, node.shape(i).size()));
    if (equation.operands.back().size() != node.shape(i).size())
      node.fail(fmt::format("'{}' does not fit an operand with {}", term,
                            quantity(std::ssize(node.shape(i)), "dimension")));
    if (term.find("...") != std::string::npos)
      dots = std::max(dots, node.shape(i).size() - (term.size() - 3));
  }
  if (equation.operands.size() != node.inputCount()) node.fail("a term for each operand is needed");
  if (arrow != std::string::npos) {
    const std::string term = text.substr(arrow + 2);
    const std::size_t named = term.size() - (term.find("...") == std::string::npos ? 0 : 3);
    equation.result = expanded(node, term, named + dots);
    return equation;
  }
  // What appears once, in the order of the alphabet, behind what the ellipses stand for.
  std::string all;
  for (const Labels& labels : equation.operands)
    all += labels;
  std::string letters;
  for (const char label : all)
    if (std::isalpha(static_cast<unsigned char>(label)) && std::ranges::count(all, label) == 1)
      letters += label;
  std::ranges::sort(letters);
  for (std::size_t d = dots; d-- > 0;)
    equation.result += static_cast<char>('0' + d);
  equation.result += letters;
  return equation;
}

/// The sum over all indices that the result does not have of the products of the operands.
Results einsum(const ReferenceNode& node) {
  const Equation equation = readEquation(node);
  std::map<char, std::int64_t> extents;
  for (std::size_t o = 0; o < equation.operands.size(); ++o)
    for (std::size_t d = 0; d < equation.operands[o].size(); ++d) {
      std::int64_t& extent = extents.emplace(equation.operands[o][d], 1).first->second;
      const std::int64_t given = node.shape(o)[d];
      if (extent != given && extent != 1 && given != 1) node.fail("an index has two extents");
      if (extent == 1) extent = given; // also when that is 0
    }
  Labels labels = equation.result;
  Shape shape, summed;
  for (const char label : labels)
    shape.push_back(extents.at(label));
  for (const auto& [label, extent] : extents)
    if (equation.result.find(label) == std::string::npos) {
      labels += label;
      summed.push_back(extent);
    }
  // How far each operand moves when an index grows by one.
  std::vector<Shape> steps(equation.operands.size(), Shape(labels.size(), 0));
  for (std::size_t o = 0; o < steps.size(); ++o) {
    const Shape strides = stridesOf(node.shape(o));
    for (std::size_t d = 0; d < strides.size(); ++d)
      if (node.shape(o)[d] != 1) steps[o][labels.find(equation.operands[o][d])] += strides[d];
  }
  std::vector<double> sums;
  forEachIndex(shape, [&](const Shape& outer) {
    double sum = 0;
    forEachIndex(summed, [&](const Shape& inner) {
      double term = 1;
      for (std::size_t o = 0; o < steps.size(); ++o) {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < labels.size(); ++d)
          place += steps[o][d] * (d < outer.size() ? outer[d] : inner[d - outer.size()]);
        term *= realAt(node[o], place);
      }
      sum += term;
    });
    sums.push_back(sum);
  });
  if (node[0].isFloat()) return {{shape, std::vector<float>(sums.begin(), sums.end())}};
  return {{shape, std::vector<std::int64_t>(sums.begin(), sums.end())}};
}

} // namespace

const Operators& productOperators() {
  static const Operators kTable = {
      {"MatMul", matMul},
      {"Gemm", gemm},
      {"Einsum", einsum},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
