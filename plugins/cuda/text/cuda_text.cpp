#include "plugins/cuda/text/cuda_text.h"

#include "core/emit/c_names.h"
#include "core/lower/ir_lines.h"
#include "core/support/error.h"
#include "core/tensor/half.h"
#include "plugins/cuda/text/kernel_text.h"
#include "plugins/cuda/text/preamble.h"
#include "plugins/cuda/text/type_text.h"
#include "plugins/cuda/text/workspace.h"

#include <algorithm>

namespace nestwright::cuda {
namespace {

// Compiling takes seconds from some 4,000 multiply-adds on and grows faster than their number.
constexpr std::int64_t kMostStatements = 1 << 15;

std::string constantText(const Buffer& buffer, const std::vector<double>& values,
                         const std::string& name) {
  std::vector<std::string> elements;
  for (const double value : values)
    elements.push_back(
        buffer->type.isHalf()    ? fmt::format("{{{:#x}}}", halfBits(value, buffer->type))
        : buffer->type.isFloat() ? floatText(value, buffer->type)
                                 : intText(static_cast<std::int64_t>(value), buffer->type));
  // Accesses of up to 16 bytes count on where it begins.
  return fmt::format("__device__ __align__(16) const {} {}[{}] = {{{}}};\n", typeText(buffer->type),
                     name, elements.size(), fmt::join(elements, ", "));
}

class FunctionWriter {
 public:
  FunctionWriter(const LoopFunction& function, bool marks)
      : workspace_(planWorkspace(function.body)), context_{function, function.parameters, {}} {
    nestwright::visit(function.body, [&](const Stmt& s) {
      if (workspace_.offsets.contains(s->kind == StmtKind::Allocate ? s->buffer.get() : nullptr))
        context_.global.push_back(s->buffer);
    });
    for (const std::string& name : preambleNames())
      (void)entries_.fresh(name);
    if (marks) addLines();
    result_.source = preamble();
    result_.workspaceBytes = workspace_.bytes;
    CNames names;
    for (const auto& [buffer, values] : function.constants)
      result_.source += constantText(buffer, values, tableName(names, buffer));
    write(function.body);
    if (result_.launches.empty())
      throw InputError(fmt::format("{} launches no kernel: it was lowered for a processor, not for "
                                   "a GPU",
                                   function.name));
  }

  CudaText take() && { return std::move(result_); }

 private:
  void addLines() {
    const std::vector<IrLine> lines = irLines(context_.function);
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].stmt) context_.lines.emplace(lines[i].stmt.get(), static_cast<int>(i + 1));
  }

  void write(const Stmt& s) {
    if (s->kind == StmtKind::Launch) return writeLaunch(s);
    const bool around = s->kind == StmtKind::Sequence ||
                        (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Global);
    if (!around)
      throw InputError(fmt::format("{} does something outside of its kernels: it was lowered for a "
                                   "processor, not for a GPU",
                                   context_.function.name));
    for (const Stmt& child : s->body)
      write(child);
  }

  void writeLaunch(const Stmt& s) {
    const Launch& launch = *s->launch;
    if (statementsAfterUnrolling(s) > kMostStatements)
      throw IllegalSchedule(
          fmt::format("the kernel {} has more than {} statements once its loops "
                      "are unrolled, which no compiler finishes with: unroll less",
                      launch.kernel, kMostStatements));
    KernelLaunch made;
    made.entry = "nw_" + entries_.fresh(launch.kernel);
    for (std::size_t i = 0; i < 3; ++i) {
      made.grid[i] = launch.grid[i].extent;
      made.block[i] = launch.threads[i].extent;
    }
    const KernelText kernel = kernelText(s, made.entry, context_);
    made.dynamicSharedBytes = kernel.dynamicSharedBytes;
    for (const Buffer& buffer : kernel.arguments)
      made.arguments.push_back(argumentFor(buffer));
    result_.source += "\n" + kernel.source;
    result_.launches.push_back(std::move(made));
  }

  LaunchArgument argumentFor(const Buffer& buffer) const {
    const auto found = workspace_.offsets.find(buffer.get());
    if (found != workspace_.offsets.end()) return {-1, found->second};
    const auto& parameters = context_.function.parameters;
    return {static_cast<int>(std::ranges::find(parameters, buffer) - parameters.begin()), 0};
  }

  Workspace workspace_;
  KernelContext context_;
  CNames entries_;
  CudaText result_;
};

} // namespace

CudaText cudaText(const LoopFunction& function, bool marks) {
  return FunctionWriter(function, marks).take();
}

} // namespace nestwright::cuda
