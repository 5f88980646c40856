#include "core/deploy/emit_record.h"

#include "core/deploy/deploy_options.h"
#include "core/deploy/library_text.h"
#include "core/emit/c_comment.h"
#include "core/emit/c_names.h"
#include "core/emit/c_source.h"
#include "core/lower/cpu/storage_plan.h"
#include "core/plugin/plugin.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_task.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/text.h"
#include "core/support/units.h"
#include "core/support/version.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {
namespace {

constexpr NameTable<EmitForm, 5> kForms{{"c", "ll", "s", "o", "cu"}};

/// A record with all that its forms are made of.
struct LoweredRecord {
  const Record& record;
  TaskRow task;
  TargetFacts target;
  LoopFunction function;
  std::string name; // of the function in C
};

LoweredRecord lowered(const RecordStore& store, const Record& record) {
  TaskRow task = taskOf(store, record);
  requireDefinition(task, "its programs cannot be compiled");
  TargetFacts target = targetOf(store, task);
  LoopFunction function = lower(recordState(parseDag(task.dag), record), lowerOptionsFor(target));
  std::string name = lowerCase(identifierFrom(task.name));
  constexpr std::size_t kLongest = 80;
  if (name.size() > kLongest) name.resize(kLongest);
  name = cIdentifier(name); // a task may be called tanh, or int
  return {record, std::move(task), std::move(target), std::move(function), std::move(name)};
}

/// Refuses what the target does not have, and says what it has.
void requireForm(const LoweredRecord& program, EmitForm form) {
  const bool gpu = program.target.gpu.has_value();
  if (gpu == (form == EmitForm::CudaC)) return;
  throw InputError(
      gpu ? fmt::format("record {} is of a GPU: its program can be had as CUDA C (--emit cu), and "
                        "not as {}",
                        program.record.id, name(form))
          : fmt::format("record {} is of a processor: its program can be had as c, ll, s or o, and "
                        "not as CUDA C",
                        program.record.id));
}

std::string headline(const LoweredRecord& program) {
  std::string text = fmt::format("{}, record {}", commented(program.task.name), program.record.id);
  if (program.record.result.verdict == Verdict::Ok)
    text +=
        fmt::format(": {} when it was measured", formatSeconds(program.record.result.latency()));
  return text + "\n";
}

std::string originLines(const LoweredRecord& program) {
  return fmt::format("Tuned for {}.\nWritten by {}.\n", commented(program.target.text()),
                     versionText());
}

std::string typeOf(const Buffer& buffer, const std::vector<std::int64_t>& shape) {
  return fmt::format("{}[{}]", toString(buffer->type), fmt::join(shape, ", "));
}

/// A line for each input and output, with the names that the text has for them.
std::string tensorLines(const LoweredRecord& program, const std::vector<std::string>& names) {
  const LoopFunction& function = program.function;
  std::size_t width = 0;
  for (const std::string& name : names)
    width = std::max(width, name.size());
  std::string lines;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Buffer& buffer = function.parameters[i];
    const PackedLayout* layout =
        i < function.layouts.size() && function.layouts[i] ? &*function.layouts[i] : nullptr;
    lines += fmt::format("  {} {:<{}}  {}{}\n",
                         static_cast<int>(i) < function.inputCount ? "input " : "output", names[i],
                         width, typeOf(buffer, layout ? layout->shape : buffer->shape),
                         layout ? fmt::format(", packed as {}", toString(*layout)) : "");
  }
  return lines;
}

std::vector<std::string> bufferNames(const LoopFunction& function) {
  std::vector<std::string> names;
  for (const Buffer& buffer : function.parameters)
    names.push_back(commented(buffer->name));
  return names;
}

std::string licenceLines() {
  return commentLines(emittedLicence(), "") + "\n";
}

/// Each line behind `prefix`.
std::string prefixed(const std::string& lines, const std::string& prefix) {
  std::string text;
  for (const std::string& line : splitLines(lines))
    text += line.empty() ? prefix.substr(0, prefix.find_last_not_of(' ') + 1) + "\n"
                         : prefix + line + "\n";
  return text;
}

std::string comment(const std::string& lines) {
  std::string text = prefixed(lines, " * ");
  text.front() = '/';
  text.pop_back();
  return text + " */\n";
}

std::string packingLine(const LoweredRecord& program, const char* how) {
  return std::ranges::any_of(program.function.layouts,
                             [](const auto& layout) { return layout.has_value(); })
             ? fmt::format("An input that is packed is stored so {}, once for all calls with it.\n",
                           how)
             : std::string();
}

std::string workspaceLine(std::int64_t bytes, std::int64_t threadBytes, bool threads) {
  const std::string further = threadBytes == 0 ? ""
                              : threads        ? fmt::format(" + threads * {}", threadBytes)
                                               : fmt::format(" + {}", threadBytes);
  const std::string sum = bytes > 0 ? fmt::format("{}{}", bytes, further)
                                    : further.substr(further.find_first_not_of(" +"));
  return fmt::format("workspace: {} bytes, at a multiple of 64, with anything in them.\n", sum);
}

EmittedProgram asC(const LoweredRecord& program) {
  CSourceOptions options;
  options.name = program.name;
  options.vectorBytes = program.target.vectorBytes;
  const CSource source = cSource(program.function, options);
  std::vector<std::string> names;
  for (const CParameter& parameter : source.parameters)
    names.push_back(parameter.name);
  std::string text =
      headline(program) + originLines(program) + "\n" + tensorLines(program, names) +
      "\nArrays are dense and row-major, and none overlaps an output. They may begin "
      "at any element;\nat a multiple of 64 bytes they are read fastest.\n" +
      packingLine(program, fmt::format("by {}_pack_INPUT", program.name).c_str());
  if (source.takesThreads)
    text += "threads: of OpenMP, at least 1. Without -fopenmp the calling thread does all.\n";
  if (source.takesWorkspace)
    text += workspaceLine(source.workspaceBytes, source.threadWorkspaceBytes, source.takesThreads);
  text +=
      fmt::format("To compile, by GCC 9 or Clang 10 at least:\n"
                  "  cc -std=gnu11 -O3 -march=native{}{} -c FILE.c\n",
                  source.takesThreads ? " -fopenmp" : "", source.wrapsIntegers ? " -fwrapv" : "");
  if (source.usesMath) text += "A program that has it is linked with -lm.\n";
  text += "\nThe tuned kernel is LLVM's code of the same loops (--emit ll). Answers differ by "
          "roundings:\nwhere products and sums are fused, and in which order long sums are taken";
  text += source.usesMath ? ", and where exp, log,\ntanh, erf and sigmoid, which it computes by "
                            "polynomials, are the C library's.\n"
                          : ".\n";
  return {comment(text + "\n" + licenceLines()) + source.text(), text};
}

/// How a processor's compiled kernel is called. A target's own instructions are those of the
/// machine that compiles, whichever it was tuned on.
std::string kernelLines(const LoweredRecord& program) {
  const StoragePlan plan = planStorage(program.function);
  bool parallel = false;
  visit(program.function.body, [&](const Stmt& s) {
    parallel |= s->kind == StmtKind::For && s->forKind == ForKind::Parallel && s->extent > 1;
  });
  std::string text =
      headline(program) + originLines(program) + "\n" +
      fmt::format("void {}(void **buffers, void *workspace, int32_t threads);\n\n", program.name) +
      "buffers: pointers to these arrays in this order, dense and row-major, each at a multiple of "
      "64\nbytes:\n" +
      tensorLines(program, bufferNames(program.function)) + packingLine(program, "by the caller");
  text += plan.sharedBytes + plan.threadBytes == 0
              ? "workspace: none.\n"
              : workspaceLine(plan.sharedBytes, plan.threadBytes, true);
  text += parallel
              ? "threads: of OpenMP, at least 1; a program that has it is linked with -lgomp.\n"
              : "threads: 1, since nothing in it is parallel.\n";
  return text + fmt::format("It runs on processors with what {} has, and may call functions of "
                            "libm.\n",
                            program.target.instructionSet == InstructionSet::Native
                                ? backend(program.target.backend).target(1).cpuName
                                : name(program.target.instructionSet));
}

EmittedProgram asCompiled(const LoweredRecord& program, EmitForm form) {
  const Backend& compiler = backend(program.target.backend);
  CompileOptions options = compileOptionsFor(program.target);
  options.symbols.entry = program.name;
  const std::string interface = kernelLines(program);
  if (form == EmitForm::Object) {
    const KernelArtifact artifact = compiler.compile(program.function, options);
    return {{artifact.code.begin(), artifact.code.end()}, interface};
  }
  const bool assembly = form == EmitForm::Assembly;
  return {prefixed(interface + "\n" + licenceLines(), assembly ? "# " : "; ") + "\n" +
              compiler.text(program.function, assembly ? CodeForm::Assembly : CodeForm::LlvmIr,
                            options),
          interface};
}

EmittedProgram asCuda(const LoweredRecord& program) {
  std::string text = headline(program) + originLines(program) + "\n" +
                     tensorLines(program, bufferNames(program.function)) +
                     "\nKernels, one behind the other:\n";
  visit(program.function.body, [&](const Stmt& s) {
    if (s->kind != StmtKind::Launch) return;
    const auto size = [](const std::array<LaunchAxis, 3>& axes) {
      return fmt::format("{} x {} x {}", axes[0].extent, axes[1].extent, axes[2].extent);
    };
    text += fmt::format("  nw_{}: {} blocks of {} threads\n", commented(s->launch->kernel),
                        size(s->launch->grid), size(s->launch->threads));
  });
  text += packingLine(program, "by the caller");
  const std::string source =
      backend(program.target.backend)
          .text(program.function, CodeForm::CudaC, compileOptionsFor(program.target));
  return {comment(text + "\n" + licenceLines()) + source, text};
}

} // namespace

const char* name(EmitForm form) {
  return kForms.of(form);
}

std::vector<std::string> emitFormNames() {
  return {kForms.names.begin(), kForms.names.end()};
}

EmitForm emitFormFromName(std::string_view text) {
  if (const auto form = kForms.find(text)) return *form;
  throw UsageError(fmt::format("\"{}\" is no form of a program; there are {}", text,
                               fmt::join(kForms.names, ", ")));
}

EmittedProgram emitRecord(const RecordStore& store, const Record& record, EmitForm form) {
  const LoweredRecord program = lowered(store, record);
  requireForm(program, form);
  switch (form) {
  case EmitForm::C:
    return asC(program);
  case EmitForm::CudaC:
    return asCuda(program);
  default:
    return asCompiled(program, form);
  }
}

} // namespace nestwright
