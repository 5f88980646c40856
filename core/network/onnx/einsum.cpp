// Einsum: sums of products over named indices, as matrix products where indices meet.

#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <cctype>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// One name an axis: a letter, or a digit for an axis of an ellipsis, counted from its last.
using Labels = std::string;

bool holds(const Labels& labels, char label) {
  return labels.find(label) != Labels::npos;
}

/// A tensor with the names of its axes.
struct Term {
  TensorId tensor = -1;
  Labels labels;
};

struct Equation {
  std::vector<Term> operands;
  Labels result;
};

class EquationReader {
 public:
  explicit EquationReader(NodeImport& node) : node_(node) {}

  Equation run() {
    std::string text = node_.text("equation", "");
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    readOperands(text.substr(0, arrow));
    equation_.result = arrow == std::string::npos ? implied() : stated(text.substr(arrow + 2));
    return std::move(equation_);
  }

 private:
  void readOperands(const std::string& left) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < node_.inputCount(); ++i) {
      if (first > left.size()) node_.fail("the equation has fewer terms than there are operands");
      const std::size_t end = std::min(left.find(',', first), left.size());
      const std::string term = left.substr(first, end - first);
      const std::size_t rank = node_.rank(i), dots = term.find("...");
      if (dots != std::string::npos && term.find('.', dots + 3) != std::string::npos)
        node_.fail(fmt::format("'{}' has more than one ellipsis", term));
      const std::size_t named = term.size() - (dots == std::string::npos ? 0 : 3);
      if (named > rank || (dots == std::string::npos && named != rank) || rank - named > 9)
        node_.fail(fmt::format("'{}' does not fit an operand with {}", term,
                               quantity(std::int64_t(rank), "dimension")));
      ellipsis_ = std::max(ellipsis_, rank - named);
      equation_.operands.push_back({node_.input(i), labelsOf(term, rank - named)});
      first = end + 1;
    }
    if (first <= left.size()) node_.fail("the equation has more terms than there are operands");
  }

  /// The names of a term whose ellipsis stands for `count` axes.
  Labels labelsOf(const std::string& term, std::size_t count) {
    Labels labels;
    for (std::size_t c = 0; c < term.size(); ++c) {
      if (term.compare(c, 3, "...") == 0) {
        for (std::size_t d = count; d-- > 0;)
          labels += static_cast<char>('0' + d);
        c += 2;
      } else if (std::isalpha(static_cast<unsigned char>(term[c]))) {
        labels += term[c];
      } else {
        node_.fail(fmt::format("'{}' is no term of letters and '...'", term));
      }
    }
    return labels;
  }

  /// The axes of ellipses, then what appears once in the order of the alphabet.
  Labels implied() const {
    Labels all, letters, result;
    for (const Term& term : equation_.operands)
      all += term.labels;
    for (const char label : all)
      if (std::isalpha(static_cast<unsigned char>(label)) && std::ranges::count(all, label) == 1)
        letters += label;
    std::ranges::sort(letters);
    for (std::size_t d = ellipsis_; d-- > 0;)
      result += static_cast<char>('0' + d);
    return result + letters;
  }

  Labels stated(const std::string& term) {
    Labels result = labelsOf(term, ellipsis_);
    for (const char label : result) {
      if (std::ranges::count(result, label) > 1)
        node_.fail(fmt::format("the result has '{}' twice", label));
      if (std::none_of(equation_.operands.begin(), equation_.operands.end(),
                       [label](const Term& operand) { return holds(operand.labels, label); }))
        node_.fail(fmt::format("no operand has the '{}' of the result", label));
    }
    return result;
  }

  NodeImport& node_;
  Equation equation_;
  std::size_t ellipsis_ = 0; // axes of the widest one
};

class EinsumImport {
 public:
  EinsumImport(NodeImport& node, Equation equation) : node_(node), equation_(std::move(equation)) {}

  TensorId run() {
    std::vector<Term>& operands = equation_.operands;
    for (Term& term : operands)
      term = withoutRepeats(term);
    for (const Term& term : operands)
      noteExtents(term);
    Term result = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) {
      Labels later = equation_.result;
      for (std::size_t l = i + 1; l < operands.size(); ++l)
        later += operands[l].labels;
      result = product(summed(result, operands[i].labels + later),
                       summed(operands[i], result.labels + later), later);
    }
    return ordered(summed(result, equation_.result), equation_.result).tensor;
  }

 private:
  const Shape& shape(const Term& term) const { return node_.builder().tensor(term.tensor).shape; }

  /// Of an index that an operand has twice, the diagonal: every (n + 1)th element of both as one.
  Term withoutRepeats(Term term) {
    for (std::size_t a = 0; a < term.labels.size(); ++a) {
      const std::size_t b = term.labels.find(term.labels[a], a + 1);
      if (b == Labels::npos) continue;
      Labels labels;
      std::vector<int> permutation;
      for (std::size_t d = 0; d < term.labels.size(); ++d)
        if (d != a && d != b) {
          labels += term.labels[d];
          permutation.push_back(static_cast<int>(d));
        }
      labels += term.labels[a];
      permutation.insert(permutation.end(), {static_cast<int>(a), static_cast<int>(b)});
      const TensorId last = node_.emitTranspose(term.tensor, permutation);
      Shape extents = node_.builder().tensor(last).shape;
      const std::int64_t n = extents.back();
      if (extents[extents.size() - 2] != n)
        node_.fail(fmt::format("the index '{}' has two extents", term.labels[a]));
      extents.pop_back();
      extents.back() = n * n;
      SliceAttributes slice{Shape(extents.size(), 0), Shape(extents.size(), 1)};
      slice.steps.back() = n + 1;
      const TensorId square = node_.emitReshape(last, extents);
      extents.back() = n;
      term = {node_.folded(node_.builder().slice(square, slice, extents, node_.outputName())),
              labels};
      a = static_cast<std::size_t>(-1); // there may be more
    }
    return term;
  }

  void noteExtents(const Term& term) {
    for (std::size_t d = 0; d < term.labels.size(); ++d) {
      std::int64_t& extent = extents_.emplace(term.labels[d], 1).first->second;
      const std::int64_t given = shape(term)[d];
      if (given != extent && given != 1 && extent != 1)
        node_.fail(
            fmt::format("the index '{}' has the extents {} and {}", term.labels[d], extent, given));
      if (extent == 1) extent = given;
    }
  }

  /// The sum over the indices that nobody else needs.
  Term summed(const Term& term, const Labels& needed) {
    ReduceAttributes reduce{{}, false};
    Labels left;
    for (std::size_t d = 0; d < term.labels.size(); ++d)
      if (holds(needed, term.labels[d]))
        left += term.labels[d];
      else
        reduce.axes.push_back(static_cast<int>(d));
    if (reduce.axes.empty()) return term;
    return {node_.emit(OpKind::ReduceSum, {term.tensor}, reduce), left};
  }

  Term ordered(const Term& term, const Labels& labels) {
    std::vector<int> permutation;
    for (const char label : labels)
      permutation.push_back(static_cast<int>(term.labels.find(label)));
    return {node_.emitTranspose(term.tensor, permutation), labels};
  }

  std::int64_t extentOf(const Labels& labels) const {
    std::int64_t product = 1;
    for (const char label : labels)
      product *= extents_.at(label);
    return product;
  }

  /// [batch, rows, columns] from a term whose axes are in this order, stretched where it has ones.
  TensorId asMatrices(const Term& term, const Labels& batch, const Labels& rows,
                      const Labels& columns) {
    const Term turned = ordered(term, batch + rows + columns);
    Shape full;
    for (const char label : turned.labels)
      full.push_back(extents_.at(label));
    TensorId x = turned.tensor;
    if (full != shape(turned))
      x = node_.folded(node_.builder().expand(x, full, node_.outputName()));
    return node_.emitReshape(x, {extentOf(batch), extentOf(rows), extentOf(columns)});
  }

  /// Batched matrices: what both have and somebody needs is the batch, what both have and nobody
  /// needs is summed over.
  Term product(const Term& a, const Term& b, const Labels& needed) {
    Labels batch, rows, inner, columns;
    for (const char label : a.labels)
      if (!holds(b.labels, label))
        rows += label;
      else
        (holds(needed, label) ? batch : inner) += label;
    for (const char label : b.labels)
      if (!holds(a.labels, label)) columns += label;
    const TensorId left = asMatrices(a, batch, rows, inner);
    const TensorId right = asMatrices(b, batch, inner, columns);
    // Without an inner index nothing is summed: [batch, rows, 1] times [batch, 1, columns].
    const TensorId result = inner.empty()
                                ? node_.emit(OpKind::Mul, {left, right})
                                : node_.emit(OpKind::MatMul, {left, right}, MatMulAttributes{});
    const Labels labels = batch + rows + columns;
    Shape full;
    for (const char label : labels)
      full.push_back(extents_.at(label));
    return {node_.emitReshape(result, full), labels};
  }

  NodeImport& node_;
  Equation equation_;
  std::map<char, std::int64_t> extents_;
};

Outputs importEinsum(NodeImport& node) {
  Equation equation = EquationReader(node).run();
  return {EinsumImport(node, std::move(equation)).run()};
}

} // namespace

const std::map<std::string, Importer>& einsumImporters() {
  static const std::map<std::string, Importer> kTable = {{"Einsum", importEinsum}};
  return kTable;
}

} // namespace nestwright::onnx_import
