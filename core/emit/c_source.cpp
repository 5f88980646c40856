#include "core/emit/c_source.h"

#include "core/emit/c11_dialect.h"
#include "core/emit/c_expr.h"
#include "core/emit/c_packer.h"
#include "core/emit/c_type.h"
#include "core/emit/line_breaks.h"
#include "core/lower/cpu/storage_plan.h"
#include "core/lower/index_simplifier.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/half.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {
namespace {

/// Statements that an unrolled loop may be, all copies together. Compilers keep tiles of registers
/// below it; with more the loops around them take minutes to compile, and are no faster.
constexpr std::int64_t kMostUnrolled = 128;

bool hasVectors(DataType element) {
  return element == kFloat32 || element == kFloat64 || element == kInt32 || element == kInt64;
}

/// The same in all lanes.
bool isSplat(const Expr& e) {
  if (e->type.isScalar() || e->kind == ExprKind::Broadcast) return true;
  if (e->kind == ExprKind::Load || e->kind == ExprKind::Ramp) return false;
  return std::ranges::all_of(e->operands, isSplat);
}

/// Whether operators on vectors of this type say it.
bool isVectorArithmetic(const Expr& e, DataType element) {
  if (isSplat(e)) return e->type.element() == element;
  if (e->type.element() != element) return false;
  const auto all = [&](std::size_t from) {
    return std::all_of(e->operands.begin() + static_cast<std::ptrdiff_t>(from), e->operands.end(),
                       [&](const Expr& operand) { return isVectorArithmetic(operand, element); });
  };
  switch (e->kind) {
  case ExprKind::Load:
    return e->buffer->type.element() == element && areNeighbours(e->operands);
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
  case ExprKind::Min:
  case ExprKind::Max:
    return all(0);
  case ExprKind::Div:
    return element.isFloat() && all(0);
  case ExprKind::IfThenElse:
    return (*e)[0]->type.isScalar() && all(1);
  default:
    return false;
  }
}

/// Loops that were fused have long names; what they are is told beside them.
std::string loopName(const std::string& name) {
  if (name.find('@') != std::string::npos) return "fused";
  std::string text = cIdentifier(name);
  while (text.size() > 1 && text.ends_with('_'))
    text.pop_back();
  return text;
}

std::string fusedFrom(std::string name) {
  std::string text;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('@', begin), name.size());
    if (end > begin) text += (text.empty() ? "" : ", ") + name.substr(begin, end - begin);
    begin = end + 1;
  }
  return text + " fused";
}

class CWriter {
 public:
  CWriter(const LoopFunction& function, const CSourceOptions& options)
      : function_(function), options_(options), plan_(planStorage(function)),
        expr_(names_, dialect_) {
    dialect_.isNonNegative = [this](const Expr& e) {
      return e->type.isScalar() && ranges_.range(e).low >= 0;
    };
    (void)names_.fresh(options.name);
    for (const std::string& taken : c11Names())
      (void)names_.fresh(taken);
    workspace_ = names_.fresh("workspace");
    threads_ = names_.fresh("threads");
    result_.workspaceBytes = plan_.sharedBytes;
    result_.threadWorkspaceBytes = plan_.threadBytes;
    result_.takesWorkspace = plan_.sharedBytes > 0 || plan_.threadBytes > 0;
    nestwright::visit(function.body, [&](const Stmt& s) {
      result_.takesThreads |= isParallel(*s);
      if (s->kind == StmtKind::Store && s->buffer->type.isInt()) result_.wrapsIntegers = true;
    });
    writeTables();
    declareParameters();
    writePackers();
    writeFunction();
    writeBegin();
  }

  CSource take() && { return std::move(result_); }

 private:
  static bool isParallel(const StmtNode& s) {
    return s.kind == StmtKind::For && s.forKind == ForKind::Parallel && s.extent > 1;
  }

  void line(const std::string& text) {
    result_.functions += text.starts_with('#') || text.find("//") != std::string::npos
                             ? indent() + text + "\n"
                             : brokenLines(indent(), text);
  }
  std::string indent() const { return std::string(2 * static_cast<std::size_t>(level_), ' '); }

  void writeBegin() {
    std::string& text = result_.includes;
    result_.usesMath = dialect_.usesMath();
    if (result_.usesMath) text += "#include <math.h>\n";
    text += "#include <stdint.h>\n";
    if (packs_ || dialect_.usesMemory()) text += "#include <string.h>\n";
    if (result_.takesThreads)
      text += "\n#ifndef _OPENMP\n"
              "#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"\n"
              "#endif\n";
    // GCC looks for the stores of an array one loop at a time.
    if (hasArrays_)
      text += "\n#ifndef __clang__\n"
              "#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n"
              "#endif\n";
    if (usesThread_)
      text += "\n#ifdef _OPENMP\n"
              "int omp_get_thread_num(void);\n"
              "#define THREAD ((int64_t)omp_get_thread_num())\n"
              "#else\n"
              "#define THREAD 0\n"
              "#endif\n";
    text += "\n";
    for (const std::string& part : {dialect_.vectorTypes(), dialect_.functions()})
      if (!part.empty()) result_.helpers += part + "\n";
  }

  void writeTables() {
    for (const auto& [buffer, values] : function_.constants) {
      if (static_cast<std::int64_t>(values.size()) != buffer->elements())
        throw Error(fmt::format("constant {} has {} but {}", buffer->name,
                                quantity(buffer->elements(), "element"),
                                quantity(std::ssize(values), "value")));
      std::vector<std::string> elements;
      for (const double value : values)
        elements.push_back(buffer->type.isHalf()
                               ? fmt::format("{:#x}", halfBits(value, buffer->type))
                           : buffer->type.isFloat()
                               ? dialect_.real(value, buffer->type)
                               : dialect_.integer(static_cast<std::int64_t>(value), buffer->type));
      line(fmt::format("static const {} {}[{}] = {{{}}};", cType(buffer->type),
                       names_(buffer.get()), elements.size(), fmt::join(elements, ", ")));
    }
    if (!function_.constants.empty()) line("");
  }

  void declareParameters() {
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Buffer& buffer = function_.parameters[i];
      CParameter parameter;
      parameter.buffer = buffer;
      parameter.name = names_(buffer.get());
      parameter.declaration = fmt::format(
          "{}{} *restrict {}", static_cast<int>(i) < function_.inputCount ? "const " : "",
          cType(buffer->type), parameter.name);
      result_.parameters.push_back(std::move(parameter));
    }
  }

  void writePackers() {
    for (std::size_t i = 0; i < function_.layouts.size(); ++i) {
      const std::optional<PackedLayout>& layout = function_.layouts[i];
      if (!layout) continue;
      packs_ = true;
      const CParameter& parameter = result_.parameters[i];
      const std::string type = cType(parameter.buffer->type);
      line(fmt::format("/* Stores {} in the order in which the function below reads it: {}. */",
                       parameter.name, toString(*layout)));
      line(fmt::format("void {0}_pack_{1}(const {2} *restrict given, {2} *restrict packed) {{",
                       options_.name, parameter.name, type));
      result_.functions += cPackerBody(*layout, parameter.buffer->type.elementBytes()) + "}\n\n";
    }
  }

  void writeFunction() {
    std::vector<std::string> parameters;
    for (const CParameter& parameter : result_.parameters)
      parameters.push_back(parameter.declaration);
    if (result_.takesWorkspace) parameters.push_back(fmt::format("void *{}", workspace_));
    if (result_.takesThreads) parameters.push_back(fmt::format("int {}", threads_));
    line(fmt::format("void {}({}) {{", options_.name, fmt::join(parameters, ", ")));
    ++level_;
    if (result_.takesThreads) line(fmt::format("(void){}; // not used without OpenMP", threads_));
    write(function_.body);
    --level_;
    line("}");
  }

  void write(const Stmt& s) {
    switch (s->kind) {
    case StmtKind::For:
      return writeLoop(*s);
    case StmtKind::Store:
      return writeStore(*s);
    case StmtKind::Sequence:
      for (const Stmt& child : s->body)
        write(child);
      return;
    case StmtKind::Allocate:
      return writeAllocation(*s);
    case StmtKind::Prefetch:
      return line(fmt::format("__builtin_prefetch(&{}{});", expr_.element(*s->buffer, s->indices),
                              s->prefetchFor == PrefetchFor::Writing ? ", 1" : ""));
    case StmtKind::If:
      if (!s->condition->type.isScalar())
        throw Error(
            fmt::format("{}: a condition of several lanes is none that C has", function_.name));
      line(fmt::format("if ({}) {{", expr_(s->condition)));
      ++level_;
      write(s->body[0]);
      --level_;
      return line("}");
    default:
      throw InputError(
          fmt::format("{} is a program of a GPU, which is written as CUDA C and not as "
                      "C for a processor",
                      function_.name));
    }
  }

  /// Whether it is one statement of C, which needs no block.
  bool isSingle(const StmtNode& s) const {
    if (s.kind != StmtKind::Store) return s.kind == StmtKind::For && s.extent > 0;
    return !isVectorStore(s) || partsOf(s).size() == 1;
  }

  static bool isWorthUnrolling(const StmtNode& loop) {
    return statementsAfterUnrolling(loop.body[0]) <= kMostUnrolled / loop.extent;
  }

  void writeLoop(const StmtNode& s) {
    if (isThreadLoop(s.forKind))
      throw InputError(fmt::format("the loop {} runs on threads of a GPU, which C for a processor "
                                   "does not have",
                                   s.var->name));
    if (s.extent <= 0) return;
    if (isParallel(s))
      line(fmt::format("#pragma omp parallel for num_threads({})", threads_));
    else if (s.forKind == ForKind::Unrolled && s.extent > 1 && isWorthUnrolling(s))
      line(fmt::format("#pragma GCC unroll {}", s.extent));
    const ValueRange start = ranges_.range(s.min);
    ranges_.setRange(s.var, {start.low, start.high + s.extent - 1});
    const std::string& name = names_.named(s.var.get(), loopName(s.var->name));
    const std::string first = expr_(s.min, Binding::Sum);
    const std::int64_t* literal = asInt(s.min);
    const std::string end =
        literal ? fmt::format("{}", *literal + s.extent) : fmt::format("{} + {}", first, s.extent);
    const bool fused = s.var->name.find('@') != std::string::npos;
    // An array inside may need a place of its own, and a block shows where a parallel loop ends.
    const bool block = !isSingle(*s.body[0]) || isParallel(s);
    line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0}){3}{4}", name, first, end,
                     block ? " {" : "",
                     fused ? fmt::format(" // {}", fusedFrom(s.var->name)) : ""));
    ++level_;
    const bool outer = inParallelLoop_;
    inParallelLoop_ |= isParallel(s);
    write(s.body[0]);
    inParallelLoop_ = outer;
    --level_;
    if (block) line("}");
    names_.release(s.var.get());
  }

  void writeAllocation(const StmtNode& s) {
    const BufferPlace& place = plan_.at(s.buffer);
    const std::string name = names_(s.buffer.get()), type = cType(s.buffer->type);
    switch (place.kind) {
    case BufferPlace::Kind::Shared:
      if (inParallelLoop_)
        throw Error(fmt::format("buffer {} is shared by all threads but allocated inside of a "
                                "parallel loop",
                                s.buffer->name));
      line(fmt::format("{} *restrict {} = {}{};", type, name, workspace_, offset(place.position)));
      break;
    case BufferPlace::Kind::PerThread:
      usesThread_ |= inParallelLoop_;
      line(fmt::format("{} *restrict {} = {}{}{};", type, name, workspace_,
                       inParallelLoop_ ? fmt::format(" + {} * THREAD", plan_.threadBytes) : "",
                       offset(plan_.sharedBytes + place.position)));
      break;
    default:
      hasArrays_ = true;
      line(
          fmt::format("{} {}[{}] __attribute__((aligned(64)));", type, name, s.buffer->elements()));
    }
    write(s.body[0]);
  }

  static std::string offset(std::int64_t bytes) {
    return bytes == 0 ? std::string() : fmt::format(" + {}", bytes);
  }

  static int lanesOf(const StmtNode& s) {
    return std::max<int>(s.value->type.lanes, nestwright::lanesOf(s.indices));
  }

  void writeStore(const StmtNode& s) {
    const int lanes = lanesOf(s);
    if (lanes == 1)
      return assign(expr_.element(*s.buffer, s.indices), s,
                    [&](const Expr& value) { return expr_(value); });
    if (isVectorStore(s)) return writeVectors(s);
    const std::string lane = laneName();
    line(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", lane, lanes));
    ++level_;
    assign(expr_.laneElement(*s.buffer, s.indices, lane), s,
           [&](const Expr& value) { return expr_.lane(value, lane); });
    --level_;
  }

  static bool isVectorStore(const StmtNode& s) {
    const DataType element = s.buffer->type.element();
    return lanesOf(s) > 1 && hasVectors(element) && areNeighbours(s.indices) &&
           isVectorArithmetic(s.value, element);
  }

  /// Lanes of a store that are written at once, and how often one behind the other.
  struct Part {
    int lanes = 1, count = 1;
  };

  /// Vectors of as many lanes as there are registers for, which are powers of two.
  std::vector<Part> partsOf(const StmtNode& s) const {
    int most = 1;
    while (2 * most * s.buffer->type.elementBytes() <= options_.vectorBytes)
      most *= 2;
    std::vector<Part> parts;
    for (int left = lanesOf(s); left > 0; most /= 2)
      if (left >= most) {
        parts.push_back({most, left / most});
        left %= most;
      }
    return parts;
  }

  void writeVectors(const StmtNode& s) {
    int done = 0;
    for (const Part& part : partsOf(s)) {
      if (part.count > 1) {
        const std::string lane = laneName();
        line(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0} += {2})", lane,
                         part.lanes * part.count, part.lanes));
        ++level_;
        writeVector(s, part.lanes, " + " + lane);
        --level_;
      } else {
        writeVector(s, part.lanes, offset(done));
      }
      done += part.lanes * part.count;
    }
  }

  void writeVector(const StmtNode& s, int lanes, const std::string& offset) {
    type_ = s.buffer->type.element().withLanes(lanes);
    offset_ = offset;
    assign(vectorAt(*s.buffer, s.indices), s, [&](const Expr& value) {
      return isSplat(value) && lanes > 1 ? splat(value) : vector(value);
    });
  }

  /// "C[i] += value" where that is what it says.
  template <class Text>
  void assign(const std::string& target, const StmtNode& s, const Text& text) {
    const Expr& value = s.value;
    const DataType type = value->type.element();
    const bool plain = type == s.buffer->type.element() && !type.isHalf() && !type.isBool() &&
                       type.bits >= 32 && value->kind == ExprKind::Add;
    if (plain && isSelf(s, (*value)[0]) && !isSplat((*value)[0]) == !s.value->type.isScalar())
      return line(fmt::format("{} += {};", target, bare(text((*value)[1]), (*value)[1])));
    line(fmt::format("{} = {};", target, bare(text(value), value)));
  }

  static bool isSelf(const StmtNode& s, const Expr& e) {
    return e->kind == ExprKind::Load && e->buffer == s.buffer &&
           std::ranges::equal(e->operands, s.indices, equalStructure);
  }

  /// Without the parentheses that a choice has inside of other operators.
  static std::string bare(const std::string& text, const Expr& e) {
    const bool choice = e->kind == ExprKind::IfThenElse || e->kind == ExprKind::Select;
    return choice && text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2)
                                                                  : text;
  }

  std::string vectorAt(const BufferNode& buffer, const std::vector<Expr>& indices) {
    const std::string at =
        fmt::format("{}[{}{}]", names_(&buffer), expr_.position(buffer, indices), offset_);
    return type_.isScalar() ? at : fmt::format("LANES({}, {})", dialect_.vectorType(type_), at);
  }

  /// A value of the vector type, whatever the expression is.
  std::string whole(const Expr& e) {
    if (type_.isScalar()) return vector(e);
    return isSplat(e) ? splat(e) : vector(e);
  }

  /// Both sides of a choice have to be of one type, which results and vectors in memory are not.
  std::string exactly(const Expr& e) {
    const bool literal = type_.isScalar() || (isSplat(e) && isZero(e));
    if (literal) return whole(e);
    return fmt::format("({}){}", dialect_.vectorType(type_),
                       isSplat(e) ? splat(e) : vector(e, Binding::Function));
  }

  std::string splat(const Expr& e) {
    std::string zero = fmt::format("({}){{0}}", dialect_.vectorType(type_));
    if (isZero(e)) return zero;
    return fmt::format("({} + {})", zero, expr_.lane(e, "0"));
  }

  /// Parts that are the same in all lanes stay scalars, which operators widen.
  std::string vector(const Expr& e, Binding outer = Binding::Or) {
    if (isSplat(e)) return scalar(e, outer);
    switch (e->kind) {
    case ExprKind::Load:
      return vectorAt(*e->buffer, e->operands);
    case ExprKind::IfThenElse:
      return fmt::format("({} ? {} : {})", expr_((*e)[0]), exactly((*e)[1]), exactly((*e)[2]));
    case ExprKind::Min:
    case ExprKind::Max:
      return dialect_.helper(e->kind == ExprKind::Min ? "min" : "max", type_,
                             {whole((*e)[0]), whole((*e)[1])});
    default: {
      const BinaryOperator& binary = *binaryOperator(e->kind);
      const auto right = static_cast<Binding>(static_cast<int>(binary.binding) + 1);
      const std::string text = fmt::format("{} {} {}", vector((*e)[0], binary.binding),
                                           binary.symbol, vector((*e)[1], right));
      return binary.binding < outer ? fmt::format("({})", text) : text;
    }
    }
  }

  std::string scalar(const Expr& e, Binding outer) const {
    if (e->kind == ExprKind::Broadcast) return scalar((*e)[0], outer);
    if (e->type.isScalar()) return expr_(e, outer);
    return fmt::format("({})", expr_.lane(e, "0"));
  }

  const std::string& laneName() {
    if (lane_.empty()) lane_ = names_.fresh("lane");
    return lane_;
  }

  const LoopFunction& function_;
  const CSourceOptions& options_;
  StoragePlan plan_;
  IndexSimplifier ranges_;
  CNames names_;
  C11Dialect dialect_;
  CExpr expr_;
  std::string workspace_, threads_, lane_;
  DataType type_;      // of the vectors that are written
  std::string offset_; // and how far behind the first lane they begin
  bool inParallelLoop_ = false, usesThread_ = false, packs_ = false, hasArrays_ = false;
  int level_ = 0;
  CSource result_;
};

} // namespace

CSource cSource(const LoopFunction& function, const CSourceOptions& options) {
  return CWriter(function, options).take();
}

} // namespace nestwright
