#include "tests/lower/interpret.h"

#include "core/tensor/half.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace nestwright {
namespace {

/// The memory of one buffer; `writer` says which iteration of which parallel loop wrote an element.
struct Memory {
  std::vector<double> values;
  std::vector<std::int64_t> writer;
  MemoryScope scope = MemoryScope::Global;
};

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

double applyBinary(ExprKind kind, double a, double b) {
  switch (kind) {
  case ExprKind::Add:
    return a + b;
  case ExprKind::Sub:
    return a - b;
  case ExprKind::Mul:
    return a * b;
  case ExprKind::Div:
    return a / b;
  case ExprKind::FloorDiv:
    return b == 0 ? 0 : std::floor(a / b);
  case ExprKind::FloorMod:
    return b == 0 ? 0 : a - std::floor(a / b) * b;
  case ExprKind::Min:
    return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  case ExprKind::Max:
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  case ExprKind::Eq:
    return a == b;
  case ExprKind::Ne:
    return a != b;
  case ExprKind::Lt:
    return a < b;
  case ExprKind::Le:
    return a <= b;
  case ExprKind::Gt:
    return a > b;
  case ExprKind::Ge:
    return a >= b;
  case ExprKind::And:
    return a != 0 && b != 0;
  case ExprKind::Or:
    return a != 0 || b != 0;
  default:
    fail("no binary operator");
  }
}

double applyIntrinsic(Intrinsic intrinsic, double x, double y) {
  switch (intrinsic) {
  case Intrinsic::Exp:
    return std::exp(x);
  case Intrinsic::Log:
    return std::log(x);
  case Intrinsic::Sqrt:
    return std::sqrt(x);
  case Intrinsic::Rsqrt:
    return 1 / std::sqrt(x);
  case Intrinsic::Tanh:
    return std::tanh(x);
  case Intrinsic::Erf:
    return std::erf(x);
  case Intrinsic::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Intrinsic::Pow:
    return std::pow(x, y);
  case Intrinsic::Abs:
    return std::fabs(x);
  case Intrinsic::Floor:
    return std::floor(x);
  case Intrinsic::Ceil:
    return std::ceil(x);
  case Intrinsic::Round:
    return std::nearbyint(x);
  case Intrinsic::Sin:
    return std::sin(x);
  case Intrinsic::Cos:
    return std::cos(x);
  case Intrinsic::Fmod:
    return std::fmod(x, y);
  }
  fail("unknown intrinsic");
}

class Interpreter {
 public:
  void allocate(const Buffer& buffer, MemoryScope scope, double value) {
    std::size_t size = static_cast<std::size_t>(buffer->elements());
    memory_[buffer.get()] = {std::vector<double>(size, value), std::vector<std::int64_t>(size, 0),
                             scope};
  }
  Memory& memory(const Buffer& buffer) {
    auto found = memory_.find(buffer.get());
    if (found == memory_.end()) fail(fmt::format("{} does not exist here", buffer->name));
    return found->second;
  }
  void run(const Stmt& s);
  std::int64_t multiplications() const { return multiplications_; }

 private:
  void loop(const StmtNode& s);
  void store(const StmtNode& s);
  void reduceThreads(const StmtNode& s);
  double value(const Expr& e, int lane);
  std::size_t position(const Buffer& buffer, const std::vector<Expr>& indices, int lane);
  void checkRegisterIndex(const std::vector<Expr>& indices) const;

  std::unordered_map<const BufferNode*, Memory> memory_;
  std::unordered_map<const VarNode*, double> variables_;
  std::set<const VarNode*> unrolled_;
  std::int64_t multiplications_ = 0;
  bool launched_ = false; // inside of a kernel, whose loops over threads run one after another
  void checkRace(const Memory& memory, std::size_t at, const std::string& name) const;

  /// Number of the iteration of a parallel loop that we are in, counted over the whole run; 0
  /// outside.
  std::int64_t iteration_ = 0;
  std::int64_t iterations_ = 0;
  std::int64_t firstOfLoop_ = 0; // number of the first iteration of that loop
};

void Interpreter::run(const Stmt& s) {
  switch (s->kind) {
  case StmtKind::For:
    loop(*s);
    break;
  case StmtKind::Store:
    store(*s);
    break;
  case StmtKind::Sequence:
    for (const Stmt& child : s->body)
      run(child);
    break;
  case StmtKind::Allocate:
    if (memory_.count(s->buffer.get()) != 0) fail(s->buffer->name + " is allocated twice");
    if (s->scope == MemoryScope::PerThread && iteration_ == 0 && !launched_)
      fail(s->buffer->name + " is per thread outside of parallel loops");
    if (s->scope == MemoryScope::Global && iteration_ != 0)
      fail(s->buffer->name + " is shared but inside of a parallel loop");
    allocate(s->buffer, s->scope, NAN);
    run(s->body[0]);
    memory_.erase(s->buffer.get());
    break;
  case StmtKind::If:
    if (!s->condition->type.isScalar()) fail("a condition of a statement is a vector");
    if (value(s->condition, 0) != 0) run(s->body[0]);
    break;
  case StmtKind::Prefetch:
    value(s->indices.at(0), 0); // all that it names has a value
    break;
  case StmtKind::Launch:
    launched_ = true;
    run(s->body[0]);
    launched_ = false;
    break;
  case StmtKind::ReduceThreads:
    reduceThreads(*s);
    break;
  case StmtKind::Barrier:
  case StmtKind::Shuffle:
  case StmtKind::CopyAsync:
  case StmtKind::Commit:
  case StmtKind::Wait:
  case StmtKind::LoadFragment:
  case StmtKind::Mma:
    fail("threads meet where none is bound");
  }
}

/// The threads come one after another: the first one's value is the start.
void Interpreter::reduceThreads(const StmtNode& s) {
  if (s.condition.get() != nullptr && value(s.condition, 0) == 0) return;
  Memory& memory = this->memory(s.buffer);
  const std::size_t at = position(s.buffer, s.indices, 0);
  const double own = value(s.value, 0);
  const double sofar = memory.values[at];
  if (variables_.at(s.var.get()) == 0)
    memory.values[at] = own;
  else if (s.reducer == Reducer::Sum)
    memory.values[at] = sofar + own;
  else if (s.reducer == Reducer::Product)
    memory.values[at] = sofar * own;
  else
    memory.values[at] = s.reducer == Reducer::Min ? std::min(sofar, own) : std::max(sofar, own);
}

void Interpreter::loop(const StmtNode& s) {
  auto start = static_cast<std::int64_t>(value(s.min, 0));
  bool parallel = s.forKind == ForKind::Parallel;
  if (parallel && iteration_ != 0) fail("parallel loops are nested at " + s.var->name);
  if (parallel) firstOfLoop_ = iterations_ + 1;
  if (s.forKind == ForKind::Unrolled) unrolled_.insert(s.var.get());
  for (std::int64_t i = 0; i < s.extent; ++i) {
    if (parallel) iteration_ = ++iterations_;
    // Backwards, so that an order that nobody promised is not relied upon.
    variables_[s.var.get()] = static_cast<double>(start + (parallel ? s.extent - 1 - i : i));
    run(s.body[0]);
  }
  if (parallel) iteration_ = 0;
  unrolled_.erase(s.var.get());
  variables_.erase(s.var.get());
}

void Interpreter::checkRegisterIndex(const std::vector<Expr>& indices) const {
  for (const Expr& index : indices)
    visit(index, [&](const Expr& e) {
      if (e->kind == ExprKind::Var && unrolled_.count(e->var.get()) == 0)
        fail("a register tile is indexed by " + e->var->name);
      return true;
    });
}

std::size_t Interpreter::position(const Buffer& buffer, const std::vector<Expr>& indices,
                                  int lane) {
  if (memory(buffer).scope == MemoryScope::Register) checkRegisterIndex(indices);
  for (std::size_t i = 0; i + 1 < indices.size(); ++i)
    if (!indices[i]->type.isScalar()) fail("an index before the last is a vector");
  if (indices.size() != buffer->shape.size()) {
    if (indices.size() != 1) fail("wrong number of indices of " + buffer->name);
    double index = value(indices[0], lane);
    if (index < 0 || index >= static_cast<double>(buffer->elements()))
      fail(fmt::format("{}[flat {}] is out of bounds", buffer->name, index));
    return static_cast<std::size_t>(index);
  }
  std::size_t flat = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    double index = value(indices[i], lane);
    if (!(index >= 0 && index < static_cast<double>(buffer->shape[i])))
      fail(fmt::format("{}: index {} is {}, out of [0, {})", buffer->name, i, index,
                       buffer->shape[i]));
    flat = flat * static_cast<std::size_t>(buffer->shape[i]) + static_cast<std::size_t>(index);
  }
  return flat;
}

void Interpreter::checkRace(const Memory& memory, std::size_t at, const std::string& name) const {
  std::int64_t writer = memory.writer[at];
  if (iteration_ != 0 && writer >= firstOfLoop_ && writer != iteration_)
    fail("two iterations of a parallel loop race for " + name);
}

void Interpreter::store(const StmtNode& s) {
  int lanes = s.indices.empty() ? 1 : s.indices.back()->type.lanes;
  if (s.value->type.lanes != lanes)
    fail(fmt::format("{} lanes stored to {} lanes of {}", s.value->type.lanes, lanes,
                     s.buffer->name));
  Memory& memory = this->memory(s.buffer);
  std::vector<double> values;
  for (int lane = 0; lane < lanes; ++lane)
    values.push_back(value(s.value, lane));
  for (int lane = 0; lane < lanes; ++lane) {
    std::size_t at = position(s.buffer, s.indices, lane);
    checkRace(memory, at, s.buffer->name);
    memory.values[at] = values[static_cast<std::size_t>(lane)];
    memory.writer[at] = iteration_;
  }
}

/// What an operation gives: of 16 bits it is rounded to them.
double rounded(double value, DataType type) {
  return type.isHalf() ? roundedTo(value, type) : value;
}

double Interpreter::value(const Expr& e, int lane) {
  switch (e->kind) {
  case ExprKind::IntImm:
    return static_cast<double>(e->integer);
  case ExprKind::FloatImm:
    return e->real;
  case ExprKind::Var: {
    auto found = variables_.find(e->var.get());
    if (found == variables_.end()) fail("variable " + e->var->name + " has no value here");
    return found->second;
  }
  case ExprKind::Not:
    return value((*e)[0], lane) == 0;
  case ExprKind::Select: {
    double then = value((*e)[1], lane), otherwise = value((*e)[2], lane);
    return value((*e)[0], lane) != 0 ? then : otherwise;
  }
  case ExprKind::IfThenElse:
    if (!(*e)[0]->type.isScalar()) fail("an if_then_else has a vector condition");
    return value((*e)[0], 0) != 0 ? value((*e)[1], lane) : value((*e)[2], lane);
  case ExprKind::Cast: {
    double x = value((*e)[0], lane);
    return e->type.isFloat() ? rounded(x, e->type) : std::trunc(x);
  }
  case ExprKind::Call:
    return rounded(applyIntrinsic(e->intrinsic, value((*e)[0], lane),
                                  e->operands.size() > 1 ? value((*e)[1], lane) : 0),
                   e->type);
  case ExprKind::Load: {
    Memory& memory = this->memory(e->buffer);
    std::size_t at = position(e->buffer, e->operands, lane);
    checkRace(memory, at, e->buffer->name);
    return memory.values[at];
  }
  case ExprKind::Ramp:
    return value((*e)[0], 0) + lane * value((*e)[1], 0);
  case ExprKind::Broadcast: {
    const std::int64_t before = multiplications_;
    const double element = value((*e)[0], 0);
    if (lane > 0) multiplications_ = before; // done once
    return element;
  }
  default:
    if (e->kind == ExprKind::Mul && e->type.isFloat()) ++multiplications_;
    return rounded(applyBinary(e->kind, value((*e)[0], lane), value((*e)[1], lane)), e->type);
  }
}

} // namespace

std::map<std::string, std::vector<double>>
interpret(const LoopFunction& function, const std::map<std::string, std::vector<double>>& inputs,
          std::int64_t* multiplications) {
  Interpreter interpreter;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Buffer& buffer = function.parameters[i];
    interpreter.allocate(buffer, MemoryScope::Global, NAN);
    if (static_cast<int>(i) >= function.inputCount) continue;
    const std::vector<double>& given = inputs.at(buffer->name);
    std::vector<double>& values = interpreter.memory(buffer).values;
    if (i < function.layouts.size() && function.layouts[i])
      function.layouts[i]->pack(given.data(), values.data(), sizeof(double));
    else
      values = given;
  }
  for (const auto& [buffer, values] : function.constants) {
    interpreter.allocate(buffer, MemoryScope::Global, NAN);
    interpreter.memory(buffer).values = values;
  }
  interpreter.run(function.body);
  if (multiplications) *multiplications = interpreter.multiplications();
  std::map<std::string, std::vector<double>> outputs;
  for (std::size_t i = static_cast<std::size_t>(function.inputCount);
       i < function.parameters.size(); ++i)
    outputs[function.parameters[i]->name] = interpreter.memory(function.parameters[i]).values;
  return outputs;
}

} // namespace nestwright
