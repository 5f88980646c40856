#pragma once
/// \file The mathematical definition of a task: placeholders, constants and compute operators in
/// topological order. It says what is computed, never how.

#include "core/tensor/expr.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright {

/// A loop of an operator's definition: 0 <= var < extent.
struct Axis {
  Var var;
  std::int64_t extent = 0;
  const std::string& name() const { return var->name; }
};

enum class Reducer : std::uint8_t { Sum, Product, Min, Max };

/// The neutral element of a reducer, as a literal of `type`.
Expr identity(Reducer reducer, DataType type);
/// `a` and `b` combined, and the operation that does it.
Expr combine(Reducer reducer, Expr a, Expr b);
ExprKind combination(Reducer reducer);

/// Of a DAG that computes what another one does, in another way, and up to rounding: how it is
/// called ("winograd F(4,3)"), and the hash at the end of the other's workloadKey.
struct AlternativeOf {
  std::string name, definition;
  friend bool operator==(const AlternativeOf&, const AlternativeOf&) = default;
};

/// Attributes that steer the scheduler (handbook/ansor.md 1.7).
struct OpAttributes {
  std::vector<std::string> alwaysUnrollInner;    // axis names
  std::vector<std::string> noSplitAtInner;       // axis names
  std::vector<std::string> simplifyConstIndices; // axis names ("fake reduction")
  std::vector<std::string> layoutFreeInputs;     // placeholder names: weights that may be re-laid
  std::optional<std::int64_t> flops;             // overrides the count
  std::string similarityTag;                     // groups for the task scheduler
  std::optional<AlternativeOf> alternative;      // of the whole DAG; see alternativeOf()
  friend bool operator==(const OpAttributes&, const OpAttributes&) = default;
};

/// One tensor definition: a node of the DAG. Immutable.
struct OpNode {
  enum class Kind : std::uint8_t { Placeholder, Constant, Compute };

  Kind kind = Kind::Placeholder;
  Buffer output;                // its name is the operator's name
  std::vector<Axis> axes;       // spatial axes, one per output dimension (Compute)
  std::vector<Axis> reduceAxes; // empty for an element-wise operator
  std::optional<Reducer> reducer;
  /// Compute: the element at `axes`, or with a reducer what is reduced over `reduceAxes`.
  Expr body;
  std::vector<double> values; // Constant: elements, row-major
  OpAttributes attributes;

  const std::string& name() const { return output->name; }
  bool isCompute() const { return kind == Kind::Compute; }
  bool isPlaceholder() const { return kind != Kind::Compute; }
};
using Op = std::shared_ptr<const OpNode>;

Op placeholder(std::string name, std::vector<std::int64_t> shape, DataType type = kFloat32);
Op constant(std::string name, std::vector<std::int64_t> shape, std::vector<double> values,
            DataType type = kFloat32);

/// Element-wise operator: `body` gets the axis variables. Axis names default to i0, i1, ...
/// Throws InputError when two axes share a name.
Op compute(std::string name, std::vector<std::int64_t> shape,
           const std::function<Expr(const std::vector<Expr>&)>& body,
           std::vector<std::string> axisNames = {}, OpAttributes attributes = {});

/// An extent with a name, for the reduction axes of `reduce`.
struct NamedExtent {
  std::string name;
  std::int64_t extent;
};

/// Reduction: `body` gets the spatial and the reduction variables.
Op reduce(std::string name, Reducer reducer, std::vector<std::int64_t> shape,
          std::vector<NamedExtent> reduceAxes,
          const std::function<Expr(const std::vector<Expr>&, const std::vector<Expr>&)>& body,
          std::vector<std::string> axisNames = {}, OpAttributes attributes = {});

/// The element of an operator's output at the indices.
Expr read(const Op& op, std::vector<Expr> indices);

/// A DAG of operators; cheap to copy. Producers come before consumers; the order is the stage
/// order of every program over it.
class ComputeDag {
 public:
  ComputeDag() = default;
  /// From operators in an order where producers precede consumers. Throws InputError when an
  /// operator reads a buffer that no earlier operator defines, or two operators share a name.
  explicit ComputeDag(std::vector<Op> ops);

  /// All operators that the outputs need, in the order that TVM's schedule creation gives:
  /// depth-first from the outputs, inputs in order of their first read in the body.
  static ComputeDag fromOutputs(const std::vector<Op>& outputs);

  const std::vector<Op>& ops() const { return nodes_->ops; }
  std::size_t size() const { return nodes_->ops.size(); }
  const Op& operator[](std::size_t i) const { return nodes_->ops[i]; }
  /// Index of the operator that defines `buffer`, or -1.
  int indexOf(const BufferNode* buffer) const;
  int indexOf(const Buffer& buffer) const { return indexOf(buffer.get()); }
  /// Index of the operator with this name, or -1.
  int indexOf(std::string_view name) const;

  /// Placeholders (not constants), in order: the kernel's inputs.
  std::vector<Op> inputs() const;
  /// Compute operators that no other reads, in order: the kernel's outputs.
  std::vector<Op> outputs() const;

 private:
  struct Nodes {
    std::vector<Op> ops;
    std::unordered_map<const BufferNode*, int> definers; // of each buffer, its place in `ops`
  };
  std::shared_ptr<const Nodes> nodes_ = std::make_shared<Nodes>();
};

/// Floating-point and integer operations of one evaluation (handbook/ansor.md 1.6).
double flops(const ComputeDag& dag);
/// Those of one operator.
double flops(const OpNode& op);
/// The multiplications among them.
double multiplications(const ComputeDag& dag);

/// What the DAG is another definition of; nothing where it is the definition itself.
std::optional<AlternativeOf> alternativeOf(const ComputeDag& dag);

/// Readable and unique text of a task's mathematics, stable between releases (C27): a readable
/// prefix (operators and shapes) and the hash of the exact text, e.g.
/// "C[512,512]=sum(A[512,512],B[512,512])#1f0c…".
std::string workloadKey(const ComputeDag& dag);
/// The hash at its end.
std::string workloadHash(const ComputeDag& dag);

} // namespace nestwright
