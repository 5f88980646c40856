#pragma once
/// \file Immutable expressions: what a tensor's element is computed from, and later the indices
/// and values of the loop IR. One uniform node (kind, type, operands, payload), so that a pass is a
/// function over `operands()`; a rewriting pass returns the same node when nothing changed.

#include "core/tensor/dtype.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

enum class ExprKind : std::uint8_t {
  IntImm,   // payload: integer (also bool)
  FloatImm, // payload: real
  Var,      // payload: variable
  // binary arithmetic; FloorDiv and FloorMod (integers only) round down, and give 0 for divisor 0
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  FloorMod,
  Min,
  Max,
  // comparison, bool result
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  // logic
  And,
  Or,
  Not,
  Select,     // operands: condition, then, else; both sides may be evaluated
  IfThenElse, // as Select, but only the chosen side is evaluated: guards a load out of bounds
  Cast,       // operand converted to the node's type
  Call,       // payload: intrinsic; operands: its arguments
  Load,       // payload: buffer; operands: one index per dimension
  // only in the loop IR, after vectorisation
  Ramp,      // operands: base, stride; lanes of the node's type: base + lane * stride
  Broadcast, // operand repeated over the lanes of the node's type
};

/// Mathematical functions that a backend knows. Round takes halves to the even neighbour; Fmod is
/// the rest of a division that rounds towards zero, exactly, as C's.
enum class Intrinsic : std::uint8_t {
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Tanh,
  Erf,
  Sigmoid,
  Pow,
  Abs,
  Floor,
  Ceil,
  Round,
  Sin,
  Cos,
  Fmod
};

/// 1 or 2.
std::size_t argumentCount(Intrinsic intrinsic);

/// "exp", "tanh", ...
const char* name(Intrinsic intrinsic);

/// A loop variable or axis. Identity is the object, not the name.
struct VarNode {
  std::string name;
  DataType type = kInt64;
};
using Var = std::shared_ptr<const VarNode>;
Var makeVar(std::string name, DataType type = kInt64);

struct OpNode;

/// A named array in memory, dense and row-major: a tensor of a compute DAG or a buffer of the loop
/// IR. Identity is the object, not the name.
struct BufferNode {
  std::string name;
  DataType type;
  std::vector<std::int64_t> shape; // elements per dimension; empty for a scalar
  /// The operator that makes it, where one does; an expression that reads the operator through
  /// `read` keeps it alive.
  std::weak_ptr<const OpNode> definition = {};
  std::int64_t elements() const; // product of the shape
  std::int64_t bytes() const;
};
using Buffer = std::shared_ptr<const BufferNode>;
Buffer makeBuffer(std::string name, std::vector<std::int64_t> shape, DataType type = kFloat32);

struct ExprNode;

/// A reference to an immutable expression node; null when default-constructed. Value semantics.
class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
  Expr(int value);          // int64 literal: indices are 64-bit
  Expr(std::int64_t value); // int64 literal
  Expr(const Var& var);

  explicit operator bool() const { return node_ != nullptr; }
  const ExprNode& operator*() const { return *node_; }
  const ExprNode* operator->() const { return node_.get(); }
  const ExprNode* get() const { return node_.get(); }
  const Expr& operator[](std::size_t i) const; // operand i
  bool sameAs(const Expr& other) const { return node_ == other.node_; }

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct ExprNode {
  ExprKind kind;
  DataType type;
  std::vector<Expr> operands;
  std::int64_t integer = 0;             // IntImm
  double real = 0;                      // FloatImm
  Var var = {};                         // Var
  Buffer buffer = {};                   // Load
  Intrinsic intrinsic = Intrinsic::Exp; // Call

  const Expr& operator[](std::size_t i) const { return operands[i]; }
};

inline const Expr& Expr::operator[](std::size_t i) const {
  return node_->operands[i];
}

// Makers. Binary makers require equal types (an int64 literal takes the other side's integer type,
// and a literal takes the other side's float type) and fold two literals; nothing else is
// simplified here.
Expr intImm(std::int64_t value, DataType type = kInt64);
Expr floatImm(double value, DataType type = kFloat32);
Expr boolImm(bool value);
/// The literal zero / one / lowest / highest value of a type.
Expr zeroOf(DataType type);
Expr oneOf(DataType type);
Expr lowestOf(DataType type);
Expr highestOf(DataType type);
Expr binary(ExprKind kind, Expr a, Expr b);
Expr floorDiv(Expr a, Expr b);
Expr floorMod(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr select(Expr condition, Expr then, Expr otherwise);
Expr ifThenElse(Expr condition, Expr then, Expr otherwise);
Expr cast(DataType type, Expr value);
Expr call(Intrinsic intrinsic, std::vector<Expr> arguments);
Expr load(Buffer buffer, std::vector<Expr> indices);
Expr ramp(Expr base, Expr stride, int lanes);
Expr broadcast(Expr value, int lanes);
/// What a sliding window reads: `position * stride + offset * dilation` without factors of one.
Expr windowIndex(const Expr& position, std::int64_t stride, const Expr& offset,
                 std::int64_t dilation);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b); // float division
Expr operator-(Expr a);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
/// Named, because `!e` asks whether the reference is null.
Expr logicalNot(Expr a);
Expr equal(Expr a, Expr b);
Expr notEqual(Expr a, Expr b);

bool isBinary(ExprKind kind); // Add .. Or, all with two operands
bool isConst(const Expr& e, std::int64_t value);
/// Whether it is a literal, an integer or not, of this value.
bool isNumber(const Expr& e, double value);
/// Whether it is the literal 0, in all its lanes.
bool isZero(const Expr& e);
/// The value of an integer literal, if it is one.
const std::int64_t* asInt(const Expr& e);

/// Structural equality; variables and buffers by identity.
bool equalStructure(const Expr& a, const Expr& b);
/// The same, told at once of most terms of sums, which are variables.
inline bool sameAtom(const Expr& a, const Expr& b) {
  if (a.sameAs(b)) return true;
  if (a->kind != b->kind) return false;
  return a->kind == ExprKind::Var ? a->var == b->var : equalStructure(a, b);
}

/// Calls `f` on every node, parents before operands; `f` returns false to skip the operands.
void visit(const Expr& e, const std::function<bool(const Expr&)>& f);

/// Whether an element of a buffer is loaded anywhere in it.
bool readsMemory(const Expr& e);

/// Rebuilds `e` with `f` applied to its operands only; returns `e` itself when nothing changed.
Expr mapOperands(const Expr& e, const std::function<Expr(const Expr&)>& f);

/// Rebuilds `e` bottom-up; `f` sees each node after its operands and returns it or a replacement.
Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f);

/// Replaces variables by expressions; those for which `value` returns null stay.
Expr substitute(const Expr& e, const std::function<Expr(const Var&)>& value);

/// True when the variable occurs anywhere in the expression.
bool uses(const Expr& e, const Var& var);

} // namespace nestwright
