#include "plugins/cuda/text/kernel_text.h"

#include "core/emit/c_expr.h"
#include "core/lower/index_simplifier.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "plugins/cuda/text/cuda_dialect.h"
#include "plugins/cuda/text/type_text.h"

#include <set>

namespace nestwright::cuda {
namespace {

constexpr int kRegisterBytes = 4;

/// Buffers that a kernel reads and writes.
struct Accesses {
  std::set<const BufferNode*> read, written;

  explicit Accesses(const Stmt& kernel) {
    const auto reads = [&](const Expr& e) {
      if (!e) return;
      nestwright::visit(e, [&](const Expr& node) {
        if (node->kind == ExprKind::Load) read.insert(node->buffer.get());
        return true;
      });
    };
    nestwright::visit(kernel, [&](const Stmt& s) {
      reads(s->min);
      reads(s->value);
      reads(s->condition);
      for (const Expr& index : s->indices)
        reads(index);
      if (s->kind == StmtKind::Store || s->kind == StmtKind::Shuffle ||
          s->kind == StmtKind::CopyAsync)
        written.insert(s->buffer.get());
    });
  }
};

class KernelWriter {
 public:
  KernelWriter(const Stmt& launch, const std::string& entry, const KernelContext& context)
      : context_(context), launch_(*launch->launch), body_(launch->body[0]),
        expr_(names_, dialect_) {
    for (const auto& [buffer, values] : context.function.constants)
      (void)tableName(names_, buffer); // the same name in every kernel
    nestwright::visit(body_, [&](const Stmt& s) {
      if (s->kind == StmtKind::LoadFragment) fragments_.insert(s->buffer.get());
    });
    writeHead(entry, launch);
    level_ = 1;
    declareIndices();
    declareShared();
    write(body_);
    level_ = 0;
    line("}");
  }

  KernelText take() && { return std::move(result_); }

 private:
  void line(const std::string& text) {
    if (mark_ > 0) result_.source += fmt::format("#line {} \"/ir\"\n", mark_);
    result_.source.append(2 * static_cast<std::size_t>(level_), ' ');
    result_.source += text + "\n";
  }

  /// Lines come from this statement from now on.
  void mark(const Stmt& s) {
    const auto found = context_.lines.find(s.get());
    if (found != context_.lines.end()) mark_ = found->second;
  }

  void writeHead(const std::string& entry, const Stmt& launch) {
    const Accesses accesses(body_);
    std::vector<std::string> parameters;
    for (const Buffer& buffer : context_.global) {
      const bool written = accesses.written.contains(buffer.get());
      if (!written && !accesses.read.contains(buffer.get())) continue;
      result_.arguments.push_back(buffer);
      parameters.push_back(fmt::format("{}{}* __restrict__ {}", written ? "" : "const ",
                                       typeText(buffer->type), names_(buffer.get())));
    }
    mark(launch);
    const std::string blocks = launch_.minBlocks > 1 ? fmt::format(", {}", launch_.minBlocks) : "";
    line(fmt::format("extern \"C\" __global__ void __launch_bounds__({}{}) {}({}) {{",
                     launch_.threadsPerBlock(), blocks, entry, fmt::join(parameters, ", ")));
  }

  void declareIndices() {
    const auto declare = [&](const std::array<LaunchAxis, 3>& axes, const char* what) {
      for (std::size_t i = 0; i < axes.size(); ++i)
        if (const Var& var = axes[i].var)
          line(fmt::format("const {} {} = {}.{};", typeText(var->type), names_(var.get()), what,
                           "xyz"[i]));
    };
    declare(launch_.grid, "blockIdx");
    declare(launch_.threads, "threadIdx");
  }

  void declareShared() {
    const SharedMemory shared = planSharedMemory(body_);
    result_.dynamicSharedBytes = shared.dynamicBytes;
    for (const SharedMemory::Array& array : shared.arrays) {
      const std::string type = typeText(array.buffer->type), name = names_(array.buffer.get());
      if (shared.dynamicBytes > 0)
        line(fmt::format("{}* const {} = reinterpret_cast<{}*>(nw_shared + {});", type, name, type,
                         array.offset));
      else
        line(fmt::format("__shared__ __align__(16) {} {}[{}];", type, name,
                         array.buffer->elements()));
    }
  }

  void write(const Stmt& s) {
    if (s->kind != StmtKind::Sequence && s->kind != StmtKind::Allocate) mark(s);
    switch (s->kind) {
    case StmtKind::For:
      return writeLoop(*s);
    case StmtKind::Store:
      return s->value->type.isScalar() && !hasVectorIndex(*s) ? writeStore(*s) : writeVector(*s);
    case StmtKind::Sequence:
      for (const Stmt& child : s->body)
        write(child);
      return;
    case StmtKind::Allocate:
      return writeAllocation(*s);
    case StmtKind::If:
      line(fmt::format("if ({}) {{", expr_(s->condition)));
      return writeInside(*s);
    case StmtKind::Barrier:
      return line("__syncthreads();");
    case StmtKind::Shuffle:
      return writeShuffle(*s);
    case StmtKind::CopyAsync:
      return writeCopy(*s);
    case StmtKind::Commit:
      return line("nw_commit_copies();");
    case StmtKind::Wait:
      return line(fmt::format("nw_wait_for_copies<{}>();", s->pending));
    case StmtKind::LoadFragment:
      return writeFragment(*s);
    case StmtKind::Mma:
      return line(fmt::format("nw_{}(&{}, {}, {});", s->instruction->name,
                              expr_.element(*s->buffer, s->indices), fragmentAt((*s->value)[0]),
                              fragmentAt((*s->value)[1])));
    case StmtKind::Prefetch:
    case StmtKind::Launch:
    case StmtKind::ReduceThreads:
      break;
    }
    throw InputError(fmt::format("kernel {}: a statement of this kind is lowered away before code "
                                 "is made of it",
                                 launch_.kernel));
  }

  void writeInside(const StmtNode& s) {
    ++level_;
    for (const Stmt& child : s.body)
      write(child);
    --level_;
    line("}");
  }

  void writeLoop(const StmtNode& s) {
    if (s.forKind != ForKind::Serial && s.forKind != ForKind::Unrolled)
      throw InputError(fmt::format("kernel {}: the loop {} is none that a thread runs",
                                   launch_.kernel, s.var->name));
    if (s.forKind == ForKind::Unrolled) line("#pragma unroll");
    const std::string name = names_(s.var.get()), type = typeText(s.var->type);
    const std::int64_t* first = asInt(s.min);
    const std::string start = expr_(s.min);
    const std::string end = first ? intText(*first + s.extent, s.var->type)
                                  : fmt::format("{} + {}", start, intText(s.extent, s.var->type));
    const std::string comment = name == s.var->name ? "" : " // " + s.var->name;
    const bool pairs = loadsNeighbours(s);
    line(fmt::format("for ({} {} = {}; {} < {}; {}) {{{}", type, name, start, name, end,
                     pairs ? name + " += 2" : "++" + name, comment));
    if (pairs) return writeFragmentPair(s);
    writeInside(s);
  }

  /// How far apart two iterations are in a buffer, in elements.
  static std::optional<std::int64_t> distanceOf(const BufferNode& buffer,
                                                const std::vector<Expr>& indices, const Var& var) {
    IndexSimplifier simplify;
    std::int64_t distance = 0, stride = 1;
    for (std::size_t i = indices.size(); i-- > 0; stride *= buffer.shape[i]) {
      const auto coefficient = coefficientOf(simplify.linear(indices[i]), var);
      if (!coefficient) return std::nullopt;
      distance += *coefficient * stride;
    }
    return distance;
  }

  /// Of an unrolled loop that loads tiles of the second operand which lie beside one another: two
  /// are what one instruction loads.
  static bool loadsNeighbours(const StmtNode& loop) {
    if (loop.forKind != ForKind::Unrolled || !isConst(loop.min, 0) || loop.extent % 2 != 0)
      return false;
    const StmtNode& s = *loop.body[0];
    if (s.kind != StmtKind::LoadFragment || !s.fragment.whole ||
        s.fragment.operand != TensorOperand::B)
      return false;
    const std::int64_t columns = s.instruction->n;
    return distanceOf(*s.value->buffer, s.value->operands, loop.var) ==
               columns * s.fragment.columnStride &&
           distanceOf(*s.buffer, s.indices, loop.var) == s.buffer->shape.back();
  }

  void writeFragmentPair(const StmtNode& loop) {
    const StmtNode& s = *loop.body[0];
    mark(loop.body[0]);
    ++level_;
    // Its four matrices are those of a tile of the first operand whose rows run the other way.
    const bool transposed = s.fragment.rowStride != 1;
    line(fmt::format("nw_ldmatrix_x4{}({}, {}, {} + nw_row_x4{}({}, {}));",
                     transposed ? "_trans" : "", fragmentAt(*s.buffer, s.indices),
                     names_(s.value->buffer.get()),
                     expr_.position(*s.value->buffer, s.value->operands),
                     transposed ? "" : "_trans", names_(launch_.threads[0].var.get()),
                     std::max(s.fragment.rowStride, s.fragment.columnStride)));
    --level_;
    line("}");
  }

  void writeStore(const StmtNode& s) {
    line(fmt::format("{} = {};", expr_.element(*s.buffer, s.indices), expr_(s.value)));
  }

  void writeAllocation(const StmtNode& s) {
    if (s.scope == MemoryScope::Global)
      throw InputError(fmt::format("kernel {}: {} is there once per call but allocated inside",
                                   launch_.kernel, s.buffer->name));
    if (s.scope == MemoryScope::Block) return write(s.body[0]);
    locals_.insert(s.buffer.get());
    if (fragments_.contains(s.buffer.get()))
      line(fmt::format("unsigned int {}[{}];", names_(s.buffer.get()),
                       s.buffer->bytes() / kRegisterBytes));
    else
      line(fmt::format("{} {}[{}];", typeText(s.buffer->type), names_(s.buffer.get()),
                       s.buffer->elements()));
    write(s.body[0]);
  }

  void writeShuffle(const StmtNode& s) {
    const ShuffleLanes& lanes = s.shuffle;
    line(fmt::format("{} = nw_shuffle_{}({:#x}u, {}, {}, {});", expr_.element(*s.buffer, s.indices),
                     lanes.kind == ShuffleLanes::Kind::Down ? "down" : "from", lanes.mask,
                     expr_(s.value), lanes.lane, lanes.width));
  }

  /// The value is a load, perhaps with zeros where a condition does not hold.
  void writeCopy(const StmtNode& s) {
    const bool guarded = s.value->kind == ExprKind::IfThenElse;
    const Expr load = guarded ? (*s.value)[1] : s.value;
    const int lanes = load->type.lanes, bytes = lanes * load->type.elementBytes();
    if (load->kind != ExprKind::Load || (bytes != 4 && bytes != 8 && bytes != 16))
      throw Error(fmt::format("kernel {}: a copy of {} of {} is none that a GPU makes",
                              launch_.kernel, quantity(bytes, "byte"), s.buffer->name));
    const std::string from = expr_.element(*load->buffer, load->operands);
    line(fmt::format("nw_copy_async<{}>({}, {}, &{}{});", bytes, names_(s.buffer.get()),
                     expr_.position(*s.buffer, s.indices), from,
                     guarded ? ", " + expr_((*s.value)[0]) : ""));
  }

  /// The first register of a fragment: two elements of 16 bits share one.
  std::string fragmentAt(const BufferNode& buffer, const std::vector<Expr>& indices) {
    BufferNode registers = buffer;
    registers.shape.back() = registers.shape.back() * buffer.type.elementBytes() / kRegisterBytes;
    return fmt::format("&{}[{}]", names_(&buffer), expr_.position(registers, indices));
  }
  std::string fragmentAt(const Expr& load) { return fragmentAt(*load->buffer, load->operands); }

  /// One instruction where the neighbours of eight rows lie together, else an element at a time.
  void writeFragment(const StmtNode& s) {
    const FragmentLoad& load = s.fragment;
    const std::string to = fragmentAt(*s.buffer, s.indices);
    const BufferNode& tiles = *s.value->buffer;
    const std::vector<Expr>& first = s.value->operands;
    const std::string& lane = names_(launch_.threads[0].var.get());
    const bool isA = load.operand == TensorOperand::A;
    if (!load.whole)
      return line(fmt::format("nw_fragment_{}({}, &{}, {}, {}, {});", isA ? "a" : "b", to,
                              expr_.element(tiles, first), load.rowStride, load.columnStride,
                              lane));
    // The instruction wants rows along k; it transposes those that run the other way.
    const bool transposed = (isA ? load.columnStride : load.rowStride) != 1;
    const std::string form = fmt::format("{}{}", isA ? "x4" : "x2", transposed ? "_trans" : "");
    line(fmt::format("nw_ldmatrix_{}({}, {}, {} + nw_row_{}({}, {}));", form, to, names_(&tiles),
                     expr_.position(tiles, first), form, lane,
                     std::max(load.rowStride, load.columnStride)));
  }

  static bool hasVectorIndex(const StmtNode& s) {
    return !s.indices.empty() && !s.indices.back()->type.isScalar();
  }

  /// One wide access where memory is that of the block or of all; registers are taken one by one.
  void writeVector(const StmtNode& s) {
    const int lanes = s.indices.empty() ? 1 : s.indices.back()->type.lanes;
    const DataType type = s.buffer->type;
    const int bytes = lanes * type.elementBytes();
    if (lanes < s.value->type.lanes || bytes > 16 || (bytes & (bytes - 1)) != 0)
      throw Error(fmt::format("kernel {}: {} lanes of {} are no access that a GPU has",
                              launch_.kernel, lanes, toString(type)));
    if (const std::string copy = copied(s.value, lanes); !copy.empty() && !isLocal(s.buffer))
      return line(
          fmt::format("nw_store<{}>(&{}, {});", lanes, expr_.element(*s.buffer, s.indices), copy));
    line("{");
    ++level_;
    loadVectors(s.value, "");
    if (lane_.empty()) lanes_ = names_.fresh("lanes"), lane_ = names_.fresh("lane");
    if (!isLocal(s.buffer)) line(fmt::format("nw_vec<{}, {}> {};", typeText(type), lanes, lanes_));
    line("#pragma unroll");
    line(fmt::format("for (int {} = 0; {} < {}; ++{})", lane_, lane_, lanes, lane_));
    const std::string value = expr_.lane(s.value, lane_);
    line(isLocal(s.buffer) ? fmt::format("  {}[{} + {}] = {};", names_(s.buffer.get()),
                                         expr_.position(*s.buffer, s.indices), lane_, value)
                           : fmt::format("  {}.lane[{}] = {};", lanes_, lane_, value));
    if (!isLocal(s.buffer))
      line(fmt::format("nw_store<{}>(&{}, {});", lanes, expr_.element(*s.buffer, s.indices),
                       lanes_));
    expr_.loaded.clear();
    --level_;
    line("}");
  }

  /// The vector of a value that is a copy, perhaps with a constant at the border; empty when it is
  /// more than that.
  std::string copied(const Expr& value, int lanes) const {
    if (value->kind == ExprKind::Load && !isLocal(value->buffer) && !value->type.isScalar())
      return wideLoad(value);
    if (value->kind == ExprKind::Broadcast && !readsMemory((*value)[0]))
      return fmt::format("nw_splat<{}>({})", lanes, expr_((*value)[0]));
    if (value->kind != ExprKind::IfThenElse) return "";
    const std::string then = copied((*value)[1], lanes), otherwise = copied((*value)[2], lanes);
    if (then.empty() || otherwise.empty()) return "";
    return fmt::format("({} ? {} : {})", expr_((*value)[0]), then, otherwise);
  }

  std::string wideLoad(const Expr& load) const {
    return fmt::format("nw_load<{}>(&{})", load->type.lanes,
                       expr_.element(*load->buffer, load->operands));
  }

  /// Loads all vectors of a value, each only where its guards let it.
  void loadVectors(const Expr& e, const std::string& guard) {
    if (e->kind == ExprKind::IfThenElse) {
      const std::string condition = fmt::format("({})", expr_((*e)[0]));
      const std::string more = guard.empty() ? "" : guard + " && ";
      loadVectors((*e)[1], more + condition);
      loadVectors((*e)[2], fmt::format("{}!{}", more, condition));
      return;
    }
    for (const Expr& operand : e->operands)
      loadVectors(operand, guard);
    if (e->kind != ExprKind::Load || e->type.isScalar() || isLocal(e->buffer) ||
        expr_.loaded.contains(e.get()))
      return;
    const std::string type =
        fmt::format("nw_vec<{}, {}>", typeText(e->buffer->type), e->type.lanes);
    const std::string name = names_.fresh(e->buffer->name + "_lanes");
    line(guard.empty() ? fmt::format("const {} {} = {};", type, name, wideLoad(e))
                       : fmt::format("const {} {} = {} ? {} : {}{{}};", type, name, guard,
                                     wideLoad(e), type));
    expr_.loaded.emplace(e.get(), name);
  }

  bool isLocal(const Buffer& buffer) const { return locals_.contains(buffer.get()); }

  const KernelContext& context_;
  const Launch& launch_;
  const Stmt& body_;
  CNames names_;
  CudaDialect dialect_;
  CExpr expr_;
  std::set<const BufferNode*> locals_; // of one thread
  std::set<const BufferNode*>
      fragments_;            // in registers of 32 bits, as tensor instructions take them
  std::string lanes_, lane_; // names within a block of their own
  int level_ = 0;
  int mark_ = 0; // line of the IR that is written; 0: no marks
  KernelText result_;
};

} // namespace

KernelText kernelText(const Stmt& launch, const std::string& entry, const KernelContext& context) {
  return KernelWriter(launch, entry, context).take();
}

} // namespace nestwright::cuda
