#include "ui/program/code/program_code.h"

#include "core/dataset/feature_options.h"
#include "core/emit/c_source.h"
#include "core/measure/kernel_runner.h"
#include "core/plugin/plugin.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "core/support/text.h"
#include "core/tensor/text.h"
#include "ui/kit/text.h"

#include <map>
#include <set>

namespace nestwright::ui {
namespace {

QString meaningOf(const std::string& pass) {
  static const std::map<std::string, const char*> kMeanings{
      {"build_loop_nest", QT_TRANSLATE_NOOP("ProgramCode", "The loop nest as sampled, with its "
                                                           "buffers and index expressions.")},
      {"simplify_indices",
       QT_TRANSLATE_NOOP("ProgramCode", "Index expressions simplified; guards that always hold "
                                        "removed.")},
      {"strip_parallel",
       QT_TRANSLATE_NOOP("ProgramCode", "Parallel loops whose body is tiny are cut into strips.")},
      {"serial_regions",
       QT_TRANSLATE_NOOP("ProgramCode",
                         "Parallel loops with too little work for threads run serially.")},
      {"peel_guards", QT_TRANSLATE_NOOP("ProgramCode", "Conditions moved out of inner loops by "
                                                       "splitting off the iterations at the "
                                                       "edges.")},
      {"promote_accumulators",
       QT_TRANSLATE_NOOP("ProgramCode", "Sums of a tile are kept in vector registers.")},
      {"pair_panels",
       QT_TRANSLATE_NOOP("ProgramCode", "Copies of an operand hold what an instruction "
                                        "multiplies and adds side by side.")},
      {"pack_constants", QT_TRANSLATE_NOOP("ProgramCode", "Constant inputs are stored in the order "
                                                          "in which they are read.")},
      {"vectorize_loops",
       QT_TRANSLATE_NOOP("ProgramCode", "Vectorised loops become vector expressions.")},
      {"unroll_loops",
       QT_TRANSLATE_NOOP("ProgramCode", "Loops below the unroll limit are marked as unrolled.")},
      {"simplify_again",
       QT_TRANSLATE_NOOP("ProgramCode", "Simplified once more: this is compiled.")},
      {"bind_threads",
       QT_TRANSLATE_NOOP("ProgramCode", "Loops over blocks and threads become the axes of their "
                                        "launch.")},
      {"tensorize",
       QT_TRANSLATE_NOOP("ProgramCode", "Tiles that tensor cores multiply become their "
                                        "instructions, and the share of them that a thread holds "
                                        "goes to its registers.")},
      {"reduce_across_threads",
       QT_TRANSLATE_NOOP("ProgramCode", "Threads that reduce together tell one another what they "
                                        "have.")},
      {"expand_vthreads",
       QT_TRANSLATE_NOOP("ProgramCode", "Virtual threads become unrolled loops in real ones.")},
      {"simplify_bound", QT_TRANSLATE_NOOP("ProgramCode", "Index expressions simplified, now that "
                                                          "threads are known.")},
      {"pipeline_shared",
       QT_TRANSLATE_NOOP("ProgramCode", "The next tiles of shared memory are fetched while the "
                                        "threads work on this one.")},
      {"place_storage",
       QT_TRANSLATE_NOOP("ProgramCode", "Buffers go to shared memory or to registers.")},
      {"place_barriers",
       QT_TRANSLATE_NOOP("ProgramCode", "Threads wait for one another where one needs what another "
                                        "has stored.")},
      {"vectorize_copies",
       QT_TRANSLATE_NOOP("ProgramCode", "Neighbouring elements are moved at once where their place "
                                        "is aligned.")},
      {"unroll_registers",
       QT_TRANSLATE_NOOP("ProgramCode", "Loops that index registers are unrolled.")},
      {"narrow_indices",
       QT_TRANSLATE_NOOP("ProgramCode", "Indices that fit get 32 bits: this is compiled.")}};
  const auto found = kMeanings.find(pass);
  return found == kMeanings.end() ? QString() : tr(found->second);
}

void addPass(LoweredProgram& program, const std::string& name, const LoopFunction& function) {
  LoweredProgram::Pass pass{qs(name), meaningOf(name), splitLines(print(function)), true};
  if (!program.passes.empty()) pass.changed = program.passes.back().lines != pass.lines;
  program.passes.push_back(std::move(pass));
}

/// Buffers that are stored to inside of a statement, without what passes add to their names.
void storedIn(const Stmt& s, std::set<std::string>& names) {
  if (s->kind == StmtKind::Store) {
    const std::string& name = s->buffer->name;
    names.insert(
        name.substr(0, name.rfind(".tile") == name.size() - 5 ? name.size() - 5 : name.size()));
  }
  for (const Stmt& child : s->body)
    storedIn(child, names);
}

CompileOptions optionsOf(const LoweredProgram& program, bool naive) {
  const CompileOptions ofTarget = compileOptionsFor(program.target);
  CompileOptions options = naive ? naiveCompileOptions() : ofTarget;
  options.marks = true;
  options.gpu = ofTarget.gpu;
  options.instructionSet = ofTarget.instructionSet;
  return options;
}

ShownCode codeOf(const LoweredProgram& program, CodeForm form, const CompileOptions& options) {
  const Backend& compiler = backend(program.target.backend);
  return {form, linkCode(compiler.text(program.function, form, options), form)};
}

/// A GPU's program is CUDA C already.
void writeC(LoweredProgram& program) {
  if (program.target.gpu) return;
  try {
    CSourceOptions options;
    if (program.target.vectorBytes > 0) options.vectorBytes = program.target.vectorBytes;
    program.c = qs(cSource(program.function, options).text());
  } catch (const Error& error) {
    program.cProblem = qs(error.what());
  }
}

/// The outermost loop of the stage that a kernel computes; -1 when it has none.
int firstLoopOf(const StmtNode& launch, const LoopTree& tree) {
  const auto found = std::find_if(tree.nodes.begin(), tree.nodes.end(), [&](const LoopNode& node) {
    return node.kind == LoopNode::Kind::Loop && node.owner == launch.launch->kernel;
  });
  return found == tree.nodes.end() ? -1 : static_cast<int>(found - tree.nodes.begin());
}

/// The loops of the tree that the lines of the loop IR belong to, by the loops' names and by what
/// is computed in them.
std::vector<int> matchLoops(const std::vector<IrLine>& ir, const LoopTree& tree) {
  std::map<std::string, std::vector<int>> byName;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].kind == LoopNode::Kind::Loop)
      byName[tree.nodes[i].name].push_back(static_cast<int>(i));
  std::vector<int> nodes(ir.size(), -1);
  for (std::size_t i = 0; i < ir.size(); ++i) {
    if (ir[i].parent >= 0) nodes[i] = nodes[static_cast<std::size_t>(ir[i].parent)];
    if (ir[i].stmt && ir[i].stmt->kind == StmtKind::Launch)
      nodes[i] = firstLoopOf(*ir[i].stmt, tree);
    if (!ir[i].stmt || ir[i].stmt->kind != StmtKind::For) continue;
    const auto found = byName.find(scheduleName(ir[i].stmt->var->name));
    if (found == byName.end()) continue;
    nodes[i] = found->second.front();
    if (found->second.size() == 1) continue;
    std::set<std::string> stored;
    storedIn(ir[i].stmt, stored);
    for (const int node : found->second)
      if (stored.contains(tree.nodes[static_cast<std::size_t>(node)].owner)) nodes[i] = node;
  }
  return nodes;
}

/// By what the target's backend, which is loaded for it, can show here. Without that backend those
/// that are usual, and `notNearer` says what is missing.
ShownForms shownForms(const TargetFacts& target) {
  ShownForms forms = usualForms(target);
  std::vector<CodeText> texts;
  try {
    texts = backend(target.backend).texts();
  } catch (const SystemError& missing) {
    forms.notNearer = qs(missing.what());
    return forms;
  }
  forms.source = texts.front().form, forms.sourceName = qs(texts.front().name);
  for (const CodeText& text : texts) {
    if (text.form == forms.source) continue;
    if (text.missing.empty()) {
      forms.machine = text.form, forms.machineName = qs(text.name);
      forms.notNearer.clear();
    } else if (forms.notNearer.isEmpty()) {
      forms.notNearer = tr("%1 cannot be shown: %2.").arg(qs(text.name), qs(text.missing));
    }
  }
  return forms;
}

} // namespace

LoweredProgram lowerProgram(const ProgramText& text, const Job& job) {
  LoweredProgram program;
  program.target = text.target;
  program.forms = shownForms(text.target);
  const ComputeDag dag = parseDag(text.dag.toStdString());
  try {
    if (text.ref.naive) {
      program.function = lowerNaive(dag, text.target.gpu);
      addPass(program, "naive", program.function);
    } else {
      const State state = State::replay(dag, text.program);
      LowerOptions options = lowerOptionsFor(text.target);
      options.onPass = [&](const std::string& pass, const LoopFunction& function) {
        job.check();
        addPass(program, pass, function);
      };
      program.function = lower(state, options);
    }
    program.features =
        programFeatures(State::replay(dag, text.program), programFeatureOptions({}, text.target));
    if (!text.ref.naive)
      program.drafted = draftedWork(withBounds(State::replay(dag, text.program)), text.target);
  } catch (const IllegalSchedule& illegal) {
    program.problem = qs(illegal.what());
    return program;
  }
  job.check();
  writeC(program);
  program.ir = irLines(program.function);
  program.irNode = matchLoops(program.ir, text.tree());
  return program;
}

CodeLanguage languageOf(CodeForm form) {
  switch (form) {
  case CodeForm::LlvmIr:
    return CodeLanguage::Llvm;
  case CodeForm::Assembly:
    return CodeLanguage::Assembly;
  case CodeForm::CudaC:
    return CodeLanguage::Cuda;
  case CodeForm::Ptx:
    return CodeLanguage::Ptx;
  case CodeForm::Sass:
    return CodeLanguage::Sass;
  }
  return CodeLanguage::Text;
}

ShownForms usualForms(const TargetFacts& target) {
  if (target.gpu) return {CodeForm::CudaC, CodeForm::Ptx, tr("CUDA C"), tr("PTX"), {}};
  return {CodeForm::LlvmIr, CodeForm::Assembly, tr("LLVM IR"), tr("Assembly"), {}};
}

CompiledProgram compileSource(const LoweredProgram& program, bool naive, const Job& job) {
  if (!program.problem.isEmpty()) throw Error(program.problem.toStdString());
  job.tell(tr("Compiling to %1 …").arg(program.forms.sourceName));
  CompiledProgram compiled;
  compiled.source = codeOf(program, program.forms.source, optionsOf(program, naive));
  return compiled;
}

CompiledProgram compileProgram(const LoweredProgram& program, bool naive, const Job& job) {
  CompiledProgram compiled = compileSource(program, naive, job);
  job.check();
  job.tell(tr("Compiling to machine code …"));
  const CompileOptions options = optionsOf(program, naive);
  try {
    compiled.machine = codeOf(program, program.forms.machine, options);
    compiled.cost = costOf(compiled.machine.code, program.ir);
    job.check();
    if (!program.target.gpu) return compiled;
    const KernelArtifact artifact =
        backend(program.target.backend).compile(program.function, options);
    compiled.launches = artifact.launches;
    compiled.compiler = qs(artifact.compiler), compiled.architecture = qs(artifact.architecture);
  } catch (const Error& error) {
    // A processor's source and machine code come from one compiler, which has made the source.
    compiled.machineProblem = qs(error.what());
  }
  return compiled;
}

} // namespace nestwright::ui
