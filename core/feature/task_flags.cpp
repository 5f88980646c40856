#include "core/feature/task_flags.h"

#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/tensor/access_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace nestwright {

namespace {

constexpr NameTable<TaskFlag, kTaskFlags> kNames = {{"max", "min", "add", "convolution", "Winograd",
                                                     "depthwise", "dense", "softmax",
                                                     "batch matmul"}};

/// Visits what an element is computed from, but not where it lies.
void visitValues(const Expr& body, const std::function<void(const Expr&)>& f) {
  visit(body, [&](const Expr& e) {
    f(e);
    return e->kind != ExprKind::Load;
  });
}

/// What is converted, or is there on a condition.
const Expr& bare(const Expr& e) {
  switch (e->kind) {
  case ExprKind::Cast:
    return bare((*e)[0]);
  case ExprKind::IfThenElse:
  case ExprKind::Select:
    return readsMemory((*e)[2]) ? e : bare((*e)[1]);
  default:
    return e;
  }
}

/// The factors of a product, however it is put in brackets, without those that are numbers.
void collectFactors(const Expr& e, std::vector<Expr>& factors) {
  const Expr& product = bare(e);
  if (product->kind != ExprKind::Mul) {
    if (readsMemory(product)) factors.push_back(product);
    return;
  }
  collectFactors((*product)[0], factors);
  collectFactors((*product)[1], factors);
}

enum class ProductKind : std::uint8_t { Dense, BatchMatmul, Convolution, Depthwise };

/// A sum of products of elements of two tensors.
struct SumOfProducts {
  const OpNode& op;
  Expr a, b; // the elements

  static bool usesAny(const Expr& load, const Axis& axis) {
    return std::ranges::any_of(load->operands,
                               [&](const Expr& index) { return uses(index, axis.var); });
  }

  /// Whether the window's axis goes along an axis of `data` that `weights` does not have.
  bool slides(const Axis& summed, const Expr& data, const Expr& weights) const {
    return usesAny(weights, summed) && std::ranges::any_of(data->operands, [&](const Expr& index) {
             return uses(index, summed.var) && std::ranges::any_of(op.axes, [&](const Axis& axis) {
                      return uses(index, axis.var) && !usesAny(weights, axis);
                    });
           });
  }

  bool slides(const Axis& summed) const { return slides(summed, a, b) || slides(summed, b, a); }

  std::optional<ProductKind> kind() const {
    const auto isShared = [&](const Axis& axis) { return usesAny(a, axis) && usesAny(b, axis); };
    const bool shared = std::ranges::any_of(op.axes, isShared);
    if (std::ranges::any_of(op.reduceAxes, [&](const Axis& axis) { return slides(axis); })) {
      const bool staysInChannel = std::ranges::all_of(
          op.reduceAxes, [&](const Axis& axis) { return axis.extent == 1 || slides(axis); });
      return shared && staysInChannel ? ProductKind::Depthwise : ProductKind::Convolution;
    }
    // Without an axis of its own on either side it is an inner product.
    const auto isOwn = [&](const Axis& axis) { return usesAny(a, axis) != usesAny(b, axis); };
    if (!std::ranges::any_of(op.reduceAxes, isShared) || !std::ranges::any_of(op.axes, isOwn))
      return std::nullopt;
    return shared ? ProductKind::BatchMatmul : ProductKind::Dense;
  }
};

class TaskReader {
 public:
  explicit TaskReader(const ComputeDag& task) : task_(task), access_(task) {}

  std::array<float, kTaskFlagColumns> operator()() {
    for (const Op& op : task_.ops())
      if (op->isCompute()) {
        readOperations(*op);
        readProduct(*op);
      }
    const bool winograd = isWinograd();
    if (winograd) set(TaskFlag::Winograd);
    if (!winograd)
      for (const Product& product : products_)
        set(flagOf(product.kind));
    if (isSoftmax()) set(TaskFlag::Softmax);
    return flags_;
  }

 private:
  struct Product {
    int op;
    ProductKind kind;
    bool ofConstant; // one of its factors is the same whatever the input
  };

  static TaskFlag flagOf(ProductKind kind) {
    switch (kind) {
    case ProductKind::Dense:
      return TaskFlag::Dense;
    case ProductKind::BatchMatmul:
      return TaskFlag::BatchMatmul;
    case ProductKind::Convolution:
      return TaskFlag::Convolution;
    case ProductKind::Depthwise:
      return TaskFlag::Depthwise;
    }
    NW_ASSERT(false, "a kind of product has a flag");
  }

  void set(TaskFlag flag) { flags_[static_cast<std::size_t>(flag)] = 1; }

  /// What only counts places, as the size of a window at the border, is no operation on elements.
  void readOperations(const OpNode& op) {
    if (op.reducer == Reducer::Max) set(TaskFlag::Max);
    if (op.reducer == Reducer::Min) set(TaskFlag::Min);
    visitValues(op.body, [&](const Expr& e) {
      if (e->kind != ExprKind::Max && e->kind != ExprKind::Min && e->kind != ExprKind::Add) return;
      if (!readsMemory(e)) return;
      set(e->kind == ExprKind::Max   ? TaskFlag::Max
          : e->kind == ExprKind::Min ? TaskFlag::Min
                                     : TaskFlag::Add);
    });
  }

  void readProduct(const OpNode& op) {
    // Written out, with the constants as literals (core/network/graph/winograd.h).
    if (!op.reducer && !op.attributes.simplifyConstIndices.empty())
      transforms_.insert(task_.indexOf(op.output));
    if (op.reducer != Reducer::Sum) return;
    const int place = task_.indexOf(op.output);
    std::vector<Expr> factors;
    collectFactors(op.body, factors);
    const auto isLoad = [](const Expr& e) { return e->kind == ExprKind::Load; };
    if (!std::ranges::all_of(factors, isLoad)) return;
    const auto constants = std::ranges::count_if(
        factors, [&](const Expr& e) { return isConstant(task_.indexOf(e->buffer)); });
    if (constants > 0 && constants + 1 == std::ssize(factors)) transforms_.insert(place);
    if (factors.size() != 2 || factors[0]->buffer == factors[1]->buffer) return;
    if (const auto kind = SumOfProducts{op, factors[0], factors[1]}.kind())
      products_.push_back({place, *kind, constants > 0});
  }

  /// Given, or computed from the places of its elements alone.
  bool isConstant(int op) const {
    const OpNode& node = *task_[static_cast<std::size_t>(op)];
    return node.isCompute() ? !readsMemory(node.body) : node.kind == OpNode::Kind::Constant;
  }

  /// What an operator is computed from, with all that this is computed from.
  std::set<int> ancestors(int op) const {
    std::set<int> all{op};
    for (int i = op; i >= 0; --i)
      if (all.contains(i))
        for (const int producer : access_.directProducers(i))
          all.insert(producer);
    return all;
  }

  bool isWinograd() const {
    const auto isOfTransform = [&](const Product& product) {
      const std::set<int> sources = ancestors(product.op);
      return !product.ofConstant &&
             std::ranges::any_of(transforms_, [&](int t) { return sources.contains(t); });
    };
    return std::ranges::any_of(products_, [&](const Product& product) {
      return isOfTransform(product) && std::ranges::any_of(transforms_, [&](int t) {
               return t > product.op && ancestors(t).contains(product.op);
             });
    });
  }

  /// An exponential of a difference to a maximum.
  bool isBelowLargest(const Expr& e) const {
    if (e->kind != ExprKind::Call || e->intrinsic != Intrinsic::Exp) return false;
    const Expr& difference = bare((*e)[0]);
    if (difference->kind != ExprKind::Sub) return false;
    const Expr& largest = bare((*difference)[1]);
    if (largest->kind != ExprKind::Load) return false;
    return task_[static_cast<std::size_t>(task_.indexOf(largest->buffer))]->reducer == Reducer::Max;
  }

  bool hasExponential(const OpNode& op) const {
    bool found = false;
    if (op.isCompute())
      visitValues(op.body, [&](const Expr& e) { found = found || isBelowLargest(e); });
    return found;
  }

  bool isSoftmax() const {
    return std::ranges::any_of(task_.ops(), [&](const Op& op) {
      if (op->reducer != Reducer::Sum) return false;
      if (hasExponential(*op)) return true;
      return std::ranges::any_of(
          access_.directProducers(task_.indexOf(op->output)),
          [&](int producer) { return hasExponential(*task_[static_cast<std::size_t>(producer)]); });
    });
  }

  const ComputeDag& task_;
  AccessAnalysis access_;
  std::array<float, kTaskFlagColumns> flags_{};
  std::vector<Product> products_;
  std::set<int> transforms_; // elements of an operand, weighted by constants and added
};

} // namespace

const char* name(TaskFlag flag) {
  return kNames.of(flag);
}

std::array<float, kTaskFlagColumns> taskFlags(const ComputeDag& task) {
  return TaskReader(task)();
}

std::vector<std::string> taskFlagNames() {
  std::vector<std::string> names;
  for (const char* const name : kNames.names)
    names.push_back(fmt::format("task: {}", name));
  names.emplace_back("always 0");
  return names;
}

std::vector<std::string> taskFlagMeanings() {
  return {"1 where the task has a maximum of elements, or over them",
          "1 where it has a minimum",
          "1 where it has a sum of two elements",
          "1 where it is a convolution",
          "1 where it is a product between Winograd's transforms",
          "1 where it is a convolution that sums over no channel",
          "1 where it is a product of two matrices",
          "1 where it is a softmax",
          "1 where it is products of many pairs of matrices",
          "there for the sake of public models"};
}

std::vector<float> withColumns(std::span<const float> rows, std::size_t columns,
                               std::span<const float> more) {
  NW_ASSERT(columns > 0 && rows.size() % columns == 0, "{} numbers are no rows of {}", rows.size(),
            columns);
  std::vector<float> wider;
  wider.reserve(rows.size() / columns * (columns + more.size()));
  for (std::size_t row = 0; row < rows.size(); row += columns) {
    const std::span<const float> values = rows.subspan(row, columns);
    wider.insert(wider.end(), values.begin(), values.end());
    wider.insert(wider.end(), more.begin(), more.end());
  }
  return wider;
}

} // namespace nestwright
