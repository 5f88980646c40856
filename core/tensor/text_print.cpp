#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/tensor/half.h"
#include "core/tensor/operators.h"
#include "core/tensor/text.h"
#include "core/tensor/text_syntax.h"

#include <cctype>
#include <cstdlib>

namespace nestwright {

std::string quoted(const std::string& name) {
  const auto isWordCharacter = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  };
  const bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                     name[0] != '.' && std::all_of(name.begin(), name.end(), isWordCharacter) &&
                     !isReservedWord(name);
  return plain ? name : fmt::format("`{}`", name);
}

bool isReservedWord(std::string_view word) {
  static constexpr std::string_view kWords[] = {"true", "false", "inf",  "inff",
                                                "infh", "nan",   "nanf", "nanh"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

namespace {

/// The shortest text that reads back as the same number of this type.
std::string shortest(double value, DataType type) {
  constexpr int kMostDigits = 5; // that a number of 16 bits takes
  if (type.isHalf() && roundedTo(value, type) == value)
    for (int digits = 1; digits <= kMostDigits; ++digits) {
      const double near = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
      if (roundedTo(near, type) == value) return fmt::format("{}", static_cast<float>(near));
    }
  const bool isSingle = type.bits <= 32 && static_cast<double>(static_cast<float>(value)) == value;
  return isSingle ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

std::string realText(double value, DataType type, DagText form) {
  std::string text = form == DagText::Tvm ? fmt::format("{:g}", value) : shortest(value, type);
  if (type.bits == 32) return text + "f";
  const bool isBrain = form == DagText::Exact && type.code == DataType::Code::BFloat;
  if (type.bits == 16 && !isBrain) return text + "h";
  // Without a suffix, only the point tells a real number from an integer.
  if (form == DagText::Exact && text.find_first_of(".en") == std::string::npos) text += ".0";
  return isBrain ? fmt::format("bfloat16({})", text) : text;
}

std::string integerText(std::int64_t value, DataType type, DagText form) {
  if (type.isBool()) return value != 0 ? "true" : "false";
  if (form == DagText::Tvm || type == kInt64) return fmt::format("{}", value);
  return fmt::format("{}({})", toString(type), value);
}

class ExprPrinter {
 public:
  explicit ExprPrinter(DagText form) : form_(form) {}

  std::string print(const Expr& e) const {
    if (const BinaryOperator* binary = binaryOperator(e->kind)) return print(*binary, e);
    switch (e->kind) {
    case ExprKind::IntImm:
      return integerText(e->integer, e->type, form_);
    case ExprKind::FloatImm:
      return realText(e->real, e->type, form_);
    case ExprKind::Var:
      return name(e->var->name);
    case ExprKind::Not:
      return fmt::format("!{}", print(e[0]));
    case ExprKind::Select:
      return function("select", e);
    case ExprKind::IfThenElse:
      return function("tir.if_then_else", e);
    case ExprKind::Cast:
      return function(toString(e->type), e);
    case ExprKind::Call:
      return function(fmt::format("tir.{}", intrinsicName(*e)), e);
    case ExprKind::Load:
      return fmt::format("{}[{}]", name(e->buffer->name), operands(e));
    case ExprKind::Ramp:
      return fmt::format("ramp({}, {}, {})", print(e[0]), print(e[1]), e->type.lanes);
    case ExprKind::Broadcast:
      return fmt::format("x{}({})", e->type.lanes, print(e[0]));
    default:
      break;
    }
    NW_ASSERT(false, "unknown expression kind {}", static_cast<int>(e->kind));
    return {};
  }

 private:
  std::string name(const std::string& text) const {
    return form_ == DagText::Exact ? quoted(text) : text;
  }

  std::string print(const BinaryOperator& binary, const Expr& e) const {
    if (binary.binding == Binding::Function) return function(binary.symbol, e);
    const char* blank = blankAround(binary.binding);
    return fmt::format("({}{}{}{}{})", print(e[0]), blank, binary.symbol, blank, print(e[1]));
  }

  std::string operands(const Expr& e) const {
    std::string text;
    for (const Expr& operand : e->operands) {
      if (!text.empty()) text += ", ";
      text += print(operand);
    }
    return text;
  }

  std::string function(std::string_view callee, const Expr& e) const {
    return fmt::format("{}({})", callee, operands(e));
  }

  std::string intrinsicName(const ExprNode& e) const {
    const bool isRealAbs = e.intrinsic == Intrinsic::Abs && e.type.isFloat();
    return form_ == DagText::Tvm && isRealAbs ? "fabs" : nestwright::name(e.intrinsic);
  }

  DagText form_;
};

const char* assignment(const OpNode& op) {
  if (!op.reducer) return "=";
  switch (*op.reducer) {
  case Reducer::Sum:
    return "+=";
  case Reducer::Product:
    return "*=";
  case Reducer::Min:
    return "min=";
  case Reducer::Max:
    return "max=";
  }
  return "?";
}

std::string shapeText(const std::vector<std::int64_t>& shape, const char* separator) {
  return fmt::format("[{}]", fmt::join(shape, separator));
}

std::string typeSuffix(DataType type, DagText form) {
  if (form == DagText::Tvm || type == kFloat32) return {};
  return " " + toString(type);
}

std::string constantText(const OpNode& op, DagText form) {
  std::string text = fmt::format("CONSTANT {}{}", shapeText(op.output->shape, ", "),
                                 typeSuffix(op.output->type, form));
  if (form == DagText::Tvm) return text;
  text += " {";
  for (std::size_t i = 0; i < op.values.size(); ++i) {
    if (i > 0) text += ", ";
    text += shortest(op.values[i], op.output->type);
  }
  return text + "}";
}

std::string axisText(const Axis& axis, const OpNode& op, DagText form) {
  if (form == DagText::Tvm) return axis.name();
  const bool isKnown = inferExtent(op.body, axis.var).extent == axis.extent;
  return isKnown ? quoted(axis.name()) : fmt::format("{}={}", quoted(axis.name()), axis.extent);
}

std::string axesText(const std::vector<Axis>& axes, const OpNode& op, DagText form) {
  std::string text;
  for (const Axis& axis : axes) {
    if (!text.empty()) text += ", ";
    text += axisText(axis, op, form);
  }
  return text;
}

/// " {rc, ry=3, rx=3}", or nothing when the body alone tells the reduction axes, their order and
/// their extents.
std::string reduceAxesText(const OpNode& op) {
  std::vector<Var> order;
  visit(op.body, [&](const Expr& e) {
    const auto isIt = [&](const Axis& axis) { return axis.var == e->var; };
    if (e->kind == ExprKind::Var && std::find(order.begin(), order.end(), e->var) == order.end() &&
        std::any_of(op.reduceAxes.begin(), op.reduceAxes.end(), isIt))
      order.push_back(e->var);
    return true;
  });
  bool isImplied = order.size() == op.reduceAxes.size();
  for (std::size_t i = 0; isImplied && i < order.size(); ++i)
    isImplied = order[i] == op.reduceAxes[i].var &&
                inferExtent(op.body, order[i]).extent == op.reduceAxes[i].extent;
  if (isImplied) return {};
  return fmt::format(" {{{}}}", axesText(op.reduceAxes, op, DagText::Exact));
}

std::string nameList(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + quoted(name);
  return text;
}

std::string attributesText(const OpAttributes& attributes) {
  std::string text;
  for (const auto& [key, member] : kListAttributes)
    if (const auto& names = attributes.*member; !names.empty())
      text += fmt::format(" @{}({})", key, nameList(names));
  if (attributes.flops) text += fmt::format(" @{}({})", kFlopsAttribute, *attributes.flops);
  if (!attributes.similarityTag.empty())
    text += fmt::format(" @{}({})", kSimilarityAttribute, quoted(attributes.similarityTag));
  if (attributes.alternative)
    text += fmt::format(" @{}({}, {})", kAlternativeAttribute, quoted(attributes.alternative->name),
                        quoted(attributes.alternative->definition));
  return text;
}

std::string opText(const OpNode& op, DagText form) {
  const bool exact = form == DagText::Exact;
  const std::string name = exact ? quoted(op.name()) : op.name();
  switch (op.kind) {
  case OpNode::Kind::Placeholder:
    return fmt::format("{} = PLACEHOLDER {}{}", name, shapeText(op.output->shape, ", "),
                       typeSuffix(op.output->type, form));
  case OpNode::Kind::Constant:
    return fmt::format("{} = {}", name, constantText(op, form));
  case OpNode::Kind::Compute:
    break;
  }
  return fmt::format("{}({}){} {} {}{}", name, axesText(op.axes, op, form),
                     exact && op.reducer ? reduceAxesText(op) : "", assignment(op),
                     ExprPrinter(form).print(op.body), exact ? attributesText(op.attributes) : "");
}

} // namespace

InferredExtent inferExtent(const Expr& body, const Var& axis) {
  InferredExtent result;
  visit(body, [&](const Expr& e) {
    if (e->kind != ExprKind::Load) return true;
    for (std::size_t i = 0; i < e->operands.size(); ++i) {
      if (e[i]->kind != ExprKind::Var || e[i]->var != axis) continue;
      const std::int64_t extent = e->buffer->shape[i];
      if (result.extent && *result.extent != extent) result.conflict = extent;
      if (!result.extent) result.extent = extent;
    }
    return true;
  });
  if (result.conflict) std::swap(result.first, result.extent);
  return result;
}

std::string print(const Expr& e, DagText form) {
  return ExprPrinter(form).print(e);
}

std::string print(const ComputeDag& dag, DagText form) {
  std::string text;
  for (const Op& op : dag.ops())
    text += opText(*op, form) + "\n";
  return text;
}

namespace {

std::string tensorLabel(const BufferNode& buffer) {
  std::string text = buffer.name + shapeText(buffer.shape, ",");
  if (buffer.type != kFloat32) text += toString(buffer.type);
  return text;
}

/// "C[512,512]=sum(A[512,512],B[512,512])"; operators that the DAG computes are named only.
std::string opLabel(const ComputeDag& dag, const OpNode& op) {
  std::string function = "map";
  if (op.reducer) {
    static constexpr const char* kNames[] = {"sum", "product", "min", "max"};
    function = kNames[static_cast<int>(*op.reducer)];
  }
  std::vector<const BufferNode*> reads;
  std::string arguments;
  visit(op.body, [&](const Expr& e) {
    if (e->kind != ExprKind::Load ||
        std::find(reads.begin(), reads.end(), e->buffer.get()) != reads.end())
      return true;
    reads.push_back(e->buffer.get());
    const int producer = dag.indexOf(e->buffer);
    const bool isComputed = producer >= 0 && dag[producer]->isCompute();
    if (!arguments.empty()) arguments += ",";
    arguments += isComputed ? e->buffer->name : tensorLabel(*e->buffer);
    return true;
  });
  return fmt::format("{}={}({})", tensorLabel(*op.output), function, arguments);
}

} // namespace

std::string workloadKey(const ComputeDag& dag) {
  std::string text;
  for (const Op& op : dag.ops()) {
    if (!op->isCompute()) continue;
    if (!text.empty()) text += ";";
    text += opLabel(dag, *op);
  }
  return fmt::format("{}#{}", text, workloadHash(dag));
}

std::string workloadHash(const ComputeDag& dag) {
  return hashHex(print(dag, DagText::Exact));
}

} // namespace nestwright
