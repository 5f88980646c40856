#include "core/lower/loop_ir.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/operators.h"
#include "core/tensor/text.h"

namespace nestwright {
namespace {

/// "blockIdx.x"
std::string along(const char* what, Axis3 axis) {
  return fmt::format("{}.{}", what, "xyz"[static_cast<int>(axis)]);
}

std::string keyword(const StmtNode& loop) {
  switch (loop.forKind) {
  case ForKind::Serial:
    return "for";
  case ForKind::Parallel:
    return "parallel";
  case ForKind::Vectorized:
    return "vectorized";
  case ForKind::Unrolled:
    return "unrolled";
  case ForKind::Block:
    return along("blockIdx", loop.axis);
  case ForKind::Thread:
    return along("threadIdx", loop.axis);
  case ForKind::VirtualThread:
    return "vthread";
  case ForKind::Tensorized:
    return "tensorized";
  }
  NW_ASSERT(false, "unknown loop kind {}", static_cast<int>(loop.forKind));
  return {};
}

const char* word(MemoryScope scope) {
  switch (scope) {
  case MemoryScope::Global:
    return "global";
  case MemoryScope::Block:
    return "block";
  case MemoryScope::PerThread:
    return "per thread";
  case MemoryScope::Register:
    return "registers";
  }
  NW_ASSERT(false, "unknown memory scope {}", static_cast<int>(scope));
  return "";
}

std::string functionName(const Expr& e) {
  switch (e->kind) {
  case ExprKind::Not:
    return "not";
  case ExprKind::Select:
    return "select";
  case ExprKind::IfThenElse:
    return "if_then_else";
  case ExprKind::Cast:
    return toString(e->type);
  case ExprKind::Call:
    return name(e->intrinsic);
  case ExprKind::Ramp:
    return "ramp";
  case ExprKind::Broadcast:
    return fmt::format("x{}", e->type.lanes);
  default:
    break;
  }
  NW_ASSERT(false, "expression kind {} is no function", static_cast<int>(e->kind));
  return {};
}

bool isUnsignedIndex(DataType a, DataType b) {
  return (a == kUInt32 && b == kInt32) || (a == kInt32 && b == kUInt32);
}

std::string text(const Expr& e, Binding outer = Binding::Or);

std::string indexList(const std::vector<Expr>& indices) {
  std::vector<std::string> texts;
  for (const Expr& e : indices)
    texts.push_back(text(e));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string function(const Expr& e) {
  const BinaryOperator* binary = binaryOperator(e->kind);
  std::string arguments = indexList(e->operands);
  if (e->kind == ExprKind::Ramp) arguments += fmt::format(", {}", e->type.lanes);
  return fmt::format("{}({})", binary ? std::string(binary->symbol) : functionName(e), arguments);
}

/// In parentheses where it binds less tightly than what is around it.
std::string infix(const BinaryOperator& binary, const Expr& e, Binding outer) {
  // a - (b - c) needs its parentheses, a && b && c does not.
  const bool associates = e->kind == ExprKind::And || e->kind == ExprKind::Or;
  const auto right = static_cast<Binding>(static_cast<int>(binary.binding) + (associates ? 0 : 1));
  const char* blank = blankAround(binary.binding);
  const std::string inner = fmt::format("{}{}{}{}{}", text((*e)[0], binary.binding), blank,
                                        binary.symbol, blank, text((*e)[1], right));
  return binary.binding < outer ? fmt::format("({})", inner) : inner;
}

std::string text(const Expr& e, Binding outer) {
  switch (e->kind) {
  case ExprKind::IntImm:
    // The width of an index is none of a reader's business.
    if (e->type == kInt32 || e->type == kUInt32) return fmt::format("{}", e->integer);
    return nestwright::print(e);
  case ExprKind::FloatImm:
    return nestwright::print(e);
  case ExprKind::Var:
    return e->var->name;
  case ExprKind::Load:
    return fmt::format("{}[{}]", e->buffer->name, indexList(e->operands));
  case ExprKind::Cast:
    // An unsigned division of an index is still a division.
    if (isUnsignedIndex(e->type, (*e)[0]->type) && !readsMemory(e)) return text((*e)[0], outer);
    break;
  default:
    break;
  }
  const BinaryOperator* binary = binaryOperator(e->kind);
  return binary && binary->binding != Binding::Function ? infix(*binary, e, outer) : function(e);
}

std::string declaration(const Buffer& b) {
  return fmt::format("{}: {}[{}]", b->name, toString(b->type), fmt::join(b->shape, ", "));
}

std::string forLine(const StmtNode& s, std::int64_t outerUnrollMaxStep) {
  const std::int64_t* start = asInt(s.min);
  const std::string end =
      start ? fmt::format("{}", *start + s.extent) : fmt::format("{} + {}", text(s.min), s.extent);
  std::string line = fmt::format("{} {} in [{}, {})", keyword(s), s.var->name, text(s.min), end);
  // The pragma is in force in all loops inside, too; only serial ones take notice of it.
  if (s.unrollMaxStep != outerUnrollMaxStep &&
      (s.unrollMaxStep > 0 || s.forKind == ForKind::Serial))
    line += fmt::format(" auto_unroll: {}", s.unrollMaxStep);
  if (s.pipelineStages > 1) line += fmt::format(" pipeline_stages: {}", s.pipelineStages);
  return line;
}

std::string target(const StmtNode& s) {
  return fmt::format("{}[{}]", s.buffer->name, indexList(s.indices));
}

std::string launchLine(const Launch& launch) {
  std::vector<std::string> axes;
  for (const auto* part : {&launch.grid, &launch.threads})
    for (const LaunchAxis& axis : *part)
      if (axis.var) axes.push_back(fmt::format("{} in [0, {})", axis.var->name, axis.extent));
  const std::string blocks =
      launch.minBlocks > 1 ? fmt::format(" min_blocks: {}", launch.minBlocks) : "";
  return fmt::format("launch {} with {}{}", launch.kernel,
                     axes.empty() ? "one thread" : fmt::format("{}", fmt::join(axes, ", ")),
                     blocks);
}

std::string reductionLine(const StmtNode& s) {
  const char* word = s.reducer == Reducer::Sum       ? "sum"
                     : s.reducer == Reducer::Product ? "product"
                     : s.reducer == Reducer::Min     ? "min"
                                                     : "max";
  const std::string where = s.condition ? fmt::format(" where {}", text(s.condition)) : "";
  return fmt::format("{} = {}({}) over {}{}", target(s), word, text(s.value), s.var->name, where);
}

/// Where the value comes from; the segment and the mask only when they are not the whole warp.
std::string shuffleLine(const StmtNode& s) {
  const ShuffleLanes& lanes = s.shuffle;
  std::string line =
      fmt::format("{} = {}({}, {}", target(s),
                  lanes.kind == ShuffleLanes::Kind::Down ? "shuffle_down" : "shuffle_from",
                  text(s.value), lanes.lane);
  if (lanes.width != 32) line += fmt::format(", width {}", lanes.width);
  if (lanes.mask != 0xffff'ffff) line += fmt::format(", mask {:#x}", lanes.mask);
  return line + ")";
}

std::string waitLine(const StmtNode& s) {
  if (s.pending == 0) return "wait for all copies";
  return fmt::format("wait for all copies but {}", quantity(s.pending, "group"));
}

/// The strides as people count them: rows first, columns first when these are the neighbours.
std::string fragmentLine(const StmtNode& s) {
  const FragmentLoad& load = s.fragment;
  return fmt::format("{} = {}({}, {} by {}{})", target(s),
                     load.operand == TensorOperand::A ? "load_rows" : "load_columns", text(s.value),
                     load.rowStride, load.columnStride, load.whole ? ", whole" : "");
}

void print(const Stmt& s, int level, std::int64_t unrollMaxStep, std::string& out) {
  const std::string indent(2 * static_cast<std::size_t>(level), ' ');
  int inner = level + 1;
  switch (s->kind) {
  case StmtKind::For:
    out += fmt::format("{}{}\n", indent, forLine(*s, unrollMaxStep));
    unrollMaxStep = s->unrollMaxStep;
    break;
  case StmtKind::Store:
    out += fmt::format("{}{} = {}\n", indent, target(*s), text(s->value));
    break;
  case StmtKind::Sequence:
    inner = level;
    break;
  case StmtKind::Allocate:
    out += fmt::format("{}allocate {} in {}\n", indent, declaration(s->buffer), word(s->scope));
    inner = level;
    break;
  case StmtKind::If:
    out += fmt::format("{}if {}\n", indent, text(s->condition));
    break;
  case StmtKind::Prefetch:
    out += fmt::format("{}prefetch {}{}\n", indent, target(*s),
                       s->prefetchFor == PrefetchFor::Writing ? " to write" : "");
    break;
  case StmtKind::Launch:
    out += fmt::format("{}{}\n", indent, launchLine(*s->launch));
    break;
  case StmtKind::Barrier:
    out += fmt::format("{}barrier\n", indent);
    break;
  case StmtKind::ReduceThreads:
    out += fmt::format("{}{}\n", indent, reductionLine(*s));
    break;
  case StmtKind::Shuffle:
    out += fmt::format("{}{}\n", indent, shuffleLine(*s));
    break;
  case StmtKind::CopyAsync:
    out += fmt::format("{}{} = copy_async({})\n", indent, target(*s), text(s->value));
    break;
  case StmtKind::Commit:
    out += fmt::format("{}commit copies\n", indent);
    break;
  case StmtKind::Wait:
    out += fmt::format("{}{}\n", indent, waitLine(*s));
    break;
  case StmtKind::LoadFragment:
    out += fmt::format("{}{}\n", indent, fragmentLine(*s));
    break;
  case StmtKind::Mma:
    out += fmt::format("{}{} += {}({}, {})\n", indent, target(*s), s->instruction->name,
                       text((*s->value)[0]), text((*s->value)[1]));
    break;
  }
  for (const Stmt& child : s->body)
    print(child, inner, unrollMaxStep, out);
}

} // namespace

std::string print(const Stmt& stmt) {
  std::string out;
  print(stmt, 0, 0, out);
  return out;
}

/// " stored as 8j512k64j" for a packed input.
static std::string layoutText(const LoopFunction& function, std::size_t parameter) {
  const bool packed = parameter < function.layouts.size() && function.layouts[parameter];
  return packed ? fmt::format(" stored as {}", toString(*function.layouts[parameter])) : "";
}

std::string print(const LoopFunction& function) {
  std::vector<std::string> inputs, outputs;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    (static_cast<int>(i) < function.inputCount ? inputs : outputs)
        .push_back(declaration(function.parameters[i]) + layoutText(function, i));
  std::string out = fmt::format("{}({}) -> ({})\n", function.name, fmt::join(inputs, ", "),
                                fmt::join(outputs, ", "));
  for (const auto& [buffer, values] : function.constants)
    out += fmt::format("  constant {}\n", declaration(buffer));
  print(function.body, 1, 0, out);
  return out;
}

} // namespace nestwright
