#include "core/emulate/emulate.h"

#include "core/emulate/kernel_run.h"
#include "core/lower/ir_lines.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <sstream>

namespace nestwright {

namespace {

/// The text of one line of a printed function, without its indentation.
std::string lineOf(const LoopFunction& function, int line) {
  std::istringstream text(print(function));
  std::string found;
  for (int i = 0; i <= line; ++i)
    std::getline(text, found);
  return found.substr(std::min(found.size(), found.find_first_not_of(' ')));
}

class Emulator {
 public:
  Emulator(const LoopFunction& function, const EmulationOptions& options)
      : function_(withOwnStatements(function)), options_(options) {
    moment_.races = options.races;
  }

  Emulation run(const std::map<std::string, std::vector<double>>& inputs) {
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Buffer& buffer = function_.parameters[i];
      ThreadMemory& memory = global(buffer);
      if (static_cast<int>(i) >= function_.inputCount) continue;
      const auto given = inputs.find(buffer->name);
      if (given == inputs.end() ||
          given->second.size() != static_cast<std::size_t>(buffer->elements()))
        throw Error(fmt::format("input {} is to have {}", buffer->name,
                                quantity(buffer->elements(), "value")));
      memory.fill(given->second);
    }
    for (const auto& [buffer, values] : function_.constants)
      global(buffer).fill(values);
    Emulation result;
    try {
      statement(function_.body);
    } catch (const Fault& fault) {
      result.error = located(fault);
      return result;
    }
    for (std::size_t i = static_cast<std::size_t>(function_.inputCount);
         i < function_.parameters.size(); ++i) {
      const Buffer& buffer = function_.parameters[i];
      const std::vector<double>& values = names_.memory(buffer.get()).values();
      for (std::size_t at = 0; at < values.size(); ++at)
        if (ThreadMemory::isPoison(values[at]))
          result.error = EmulationError{
              EmulationFault::UninitialisedRead,
              fmt::format("element {} of the output {} is never written", at, buffer->name), 0,
              lineOf(function_, 0)};
      result.outputs[buffer->name] = values;
    }
    if (result.error) result.outputs.clear();
    return result;
  }

 private:
  ThreadMemory& global(const Buffer& buffer) {
    auto memory = std::make_unique<ThreadMemory>(buffer, MemoryScope::Global, moment_);
    memory->clear();
    return *(names_.memories[buffer.get()] = std::move(memory));
  }

  void statement(const Stmt& s) {
    switch (s->kind) {
    case StmtKind::Sequence:
      for (const Stmt& child : s->body)
        statement(child);
      return;
    case StmtKind::Allocate:
      global(s->buffer);
      statement(s->body[0]);
      return;
    case StmtKind::Launch: {
      current_ = s.get();
      KernelRun kernel(s, names_, moment_, options_);
      try {
        kernel.run();
      } catch (const Fault&) {
        current_ = kernel.current();
        throw;
      }
      return;
    }
    default:
      throw Error("a statement of a GPU program stands outside of its launches");
    }
  }

  EmulationError located(const Fault& fault) const {
    EmulationError error{fault.fault, fault.what, 0, {}};
    const std::vector<IrLine> lines = irLines(function_);
    for (std::size_t line = 0; line < lines.size(); ++line)
      if (lines[line].stmt.get() == current_) error.line = static_cast<int>(line);
    error.lineText = lineOf(function_, error.line);
    return error;
  }

  LoopFunction function_;
  EmulationOptions options_;
  ProgramNames names_;
  EmulationPoint moment_;
  const StmtNode* current_ = nullptr;
};

} // namespace

const char* name(EmulationFault fault) {
  switch (fault) {
  case EmulationFault::UninitialisedRead:
    return "uninitialised read";
  case EmulationFault::OutOfBounds:
    return "index out of bounds";
  case EmulationFault::Misaligned:
    return "misaligned access";
  case EmulationFault::DivergentBarrier:
    return "barrier that not all threads reach";
  case EmulationFault::DivergentShuffle:
    return "shuffle that not all threads reach";
  case EmulationFault::DivergentInstruction:
    return "tensor instruction that the lanes of a warp do not share";
  case EmulationFault::BlockRace:
    return "race between the threads of a block";
  case EmulationFault::GlobalRace:
    return "race in global memory";
  case EmulationFault::RegisterIndex:
    return "registers indexed by what is no literal";
  case EmulationFault::IndexOverflow:
    return "integer overflow";
  case EmulationFault::UnfinishedCopy:
    return "copy that is not waited for";
  }
  NW_ASSERT(false, "unknown fault {}", static_cast<int>(fault));
  return "";
}

Emulation emulate(const LoopFunction& function,
                  const std::map<std::string, std::vector<double>>& inputs,
                  const EmulationOptions& options) {
  return Emulator(function, options).run(inputs);
}

} // namespace nestwright
