#include "app/cli/output.h"
#include "app/cli/show/show_attention.h"
#include "app/cli/show/show_diff.h"
#include "app/cli/show/show_emit.h"
#include "app/cli/show/show_features.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/lower/executed_work.h"
#include "core/lower/lower.h"
#include "core/measure/artifact_json.h"
#include "core/plugin/plugin.h"
#include "core/record/format/record_knobs.h"
#include "core/record/format/record_program.h"
#include "core/record/format/stored_json.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_task.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/schedule/bounds.h"
#include "core/search/draft/drafted_work.h"
#include "core/session/crossing/ancestry.h"
#include "core/session/insight/count_record.h"
#include "core/session/run/row_contents.h"
#include "core/story/story_json.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/tensor/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

struct ShowOptions {
  std::string database;
  RowId record = 0;
  bool steps = false, loops = false, ir = false, source = false, assembly = false;
  bool work = false;
  bool layouts = false, features = false, explain = false, ancestry = false, json = false;
  bool attention = false, counters = false, draft = false;
  std::string code;          // codeFormNames(); empty: none
  std::string workerCommand; // that counts
  RowId other = 0;           // to compare with; 0: none
  std::string otherDatabase;
  EmitOptions emit;
  /// Parts that were asked for; none means those that are usual.
  int count() const {
    return steps + loops + layouts + work + ir + source + assembly + features + explain +
           attention + ancestry + counters + draft + int(!code.empty());
  }
  bool all() const { return count() == 0; }
};

/// The record with its parts as text, in the order in which they are shown.
using Parts = std::vector<std::pair<std::string, std::string>>;

std::string stepsText(const Steps& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += fmt::format("{:>3}  {:<60}  {}\n", i, recordText(toJson(steps[i])), inWords(steps[i]));
  return text;
}

/// One line for each input that the program wants packed.
std::string layoutsText(const LoopFunction& function) {
  std::string text;
  for (std::size_t i = 0; i < function.layouts.size(); ++i)
    if (const std::optional<PackedLayout>& layout = function.layouts[i])
      text += fmt::format("{}: {} is stored as {}\n", function.parameters[i]->name,
                          givenOrderText(*layout), toString(*layout));
  return text.empty() ? "every input is taken as it is\n" : text;
}

nlohmann::json layoutsJson(const LoopFunction& function) {
  auto layouts = nlohmann::json::array();
  for (std::size_t i = 0; i < function.layouts.size(); ++i) {
    const std::optional<PackedLayout>& layout = function.layouts[i];
    if (!layout) continue;
    nlohmann::json entry = toJson(*layout);
    entry["input"] = function.parameters[i]->name;
    entry["given"] = givenOrderText(*layout);
    entry["stored"] = toString(*layout);
    layouts.push_back(std::move(entry));
  }
  return layouts;
}

/// The program and those that it was bred from, nearest first.
std::vector<Ancestor> familyOf(const RecordStore& store, const Record& record) {
  return ancestors(store, record.session, record.task, record.program);
}

std::string ancestryText(const std::vector<Ancestor>& family) {
  std::string text;
  for (const Ancestor& one : family) {
    text += fmt::format("{:>3}  {:.8}  {:<26} {:>9}", one.depth, one.program, name(one.origin),
                        formatSeconds(one.seconds));
    text += one.record != 0 ? fmt::format("  record {}\n", one.record) : "  not measured\n";
  }
  return text.empty() ? "the file does not tell how the program came to be\n" : text;
}

nlohmann::json ancestryJson(const std::vector<Ancestor>& family) {
  auto list = nlohmann::json::array();
  for (const Ancestor& one : family)
    list.push_back(toJson(one));
  return list;
}

/// The program as it is lowered for the machine that the task is tuned for.
LoopFunction loweredAsMeasured(const RecordStore& store, const Record& record,
                               const TaskRow& task) {
  return lower(recordState(parseDag(task.dag), record), lowerOptionsFor(targetOf(store, task)));
}

/// What the task's definition computes, and what the program executes.
std::string workText(const ComputeDag& definition, const LoopFunction& function) {
  const auto line = [](const char* whose, double operations, double multiplications) {
    return fmt::format("{}: {}, {:.0f} multiplications\n", whose, formatFlops(operations),
                       multiplications);
  };
  std::string text = line("definition", flops(definition), multiplications(definition));
  const std::optional<ExecutedWork> executed = executedWork(function);
  return text + (executed ? line("executed", executed->operations, executed->multiplications)
                          : "executed: not counted\n");
}

nlohmann::json workJson(const ComputeDag& definition, const LoopFunction& function) {
  nlohmann::json work{
      {"definition",
       {{"operations", flops(definition)}, {"multiplications", multiplications(definition)}}},
      {"executed", nullptr}};
  if (const std::optional<ExecutedWork> executed = executedWork(function))
    work["executed"] = {{"operations", executed->operations},
                        {"multiplications", executed->multiplications}};
  return work;
}

/// What the draft says that the program spends its time on.
std::vector<DraftedWork> draftedWorkOf(const RecordStore& store, const Record& record,
                                       const TaskRow& task) {
  return draftedWork(withBounds(recordState(parseDag(task.dag), record)), targetOf(store, task));
}

std::string draftText(const RecordStore& store, const Record& record, const TaskRow& task) {
  const bool ran = record.result.verdict == Verdict::Ok;
  return inWords(draftedWorkOf(store, record, task), targetOf(store, task),
                 ran ? std::optional(record.result.latency()) : std::nullopt);
}

/// What the target's compiler makes of the program, in the form that `which` gives of its backend.
template <class Which>
std::string codeText(const RecordStore& store, const TaskRow& task, const LoopFunction& function,
                     const Which& which) {
  const TargetFacts target = targetOf(store, task);
  const Backend& compiler = backend(target.backend);
  return compiler.text(function, which(compiler), compileOptionsFor(target));
}

/// The program run on this machine, while its processor counts.
ProgramCounts countedHere(const ShowOptions& options, const Record& record,
                          const RecordStore& store) {
  return countRecord(store, record.id, workerLaunchFromText(options.workerCommand));
}

/// Collects the parts. One that cannot be had says so in its place, unless it is all that was asked
/// for.
class PartCollector {
 public:
  PartCollector(Parts& parts, bool alone) : parts_(parts), alone_(alone) {}

  template <class F>
  void add(const char* title, const F& text) {
    try {
      parts_.emplace_back(title, text());
    } catch (const Error& error) {
      if (alone_) throw;
      parts_.emplace_back(title, fmt::format("not to be had: {}\n", error.what()));
    }
  }

 private:
  Parts& parts_;
  bool alone_;
};

Parts parts(const ShowOptions& options, const Record& record, const TaskRow& task,
            const RecordStore& store) {
  Parts result;
  PartCollector collect(result, options.count() == 1);
  if (options.steps || (options.all() && !record.steps.empty()))
    collect.add("steps", [&] { return stepsText(record.steps); });
  if (const std::vector<RecordKnob> knobs = recordKnobs(record); !knobs.empty() && options.all())
    collect.add("knobs", [&] { return knobTable(knobs); });
  if (options.ancestry && !options.json)
    collect.add("ancestry", [&] { return ancestryText(familyOf(store, record)); });
  if (task.dag.empty()) { // of an imported log
    if (!options.all() && options.count() > int(options.steps) + int(options.ancestry))
      requireDefinition(task, "only its programs' steps can be shown (--steps)");
    return result;
  }
  const ComputeDag dag = parseDag(task.dag);
  if (options.loops || options.all())
    collect.add("loops", [&] { return printLoopNest(withBounds(recordState(dag, record))); });
  if (options.features && !options.json)
    collect.add("features", [&] { return featuresText(readFeatures(store, record)); });
  if (options.explain && !options.json)
    collect.add("explanation", [&] { return explanationText(explainScore(store, record)); });
  if (options.attention && !options.json)
    collect.add("attention", [&] { return attentionText(explainScore(store, record)); });
  if (options.draft && !options.json)
    collect.add("draft", [&] { return draftText(store, record, task); });
  if (options.counters && !options.json)
    collect.add("counters", [&] { return inWords(countedHere(options, record, store)); });
  const auto lowered = [&] { return loweredAsMeasured(store, record, task); };
  if (options.layouts || options.all())
    collect.add("layouts", [&] { return layoutsText(lowered()); });
  if ((options.work || options.all()) && !options.json)
    collect.add("work", [&] { return workText(dag, lowered()); });
  if (options.ir) collect.add("ir", [&] { return print(lowered()); });
  if (options.source)
    collect.add("source", [&] {
      return codeText(store, task, lowered(),
                      [](const Backend& compiler) { return compiler.texts().front().form; });
    });
  if (options.assembly)
    collect.add("asm", [&] { return codeText(store, task, lowered(), nearestForm); });
  if (!options.code.empty())
    collect.add("code", [&] {
      return codeText(store, task, lowered(), [&](const Backend& compiler) {
        return shownForm(compiler, codeFormFromName(options.code));
      });
    });
  return result;
}

/// Where nothing was measured: the session's machine; else empty.
std::string recordingOf(const RecordStore& store, const Record& record) {
  const std::optional<SessionRow> session = store.sessions().one(record.session);
  return session ? recordedSettings(*session).machine : std::string();
}

std::string headline(const Record& record, const TaskRow& task, const std::string& recording) {
  const MeasureResult& result = record.result;
  std::string text = fmt::format("record {}: task {} \"{}\", session {}, trial {}\n", record.id,
                                 task.id, task.name, record.session, record.trial);
  if (!recording.empty()) text += fmt::format("answered by {}, not measured here\n", recording);
  if (result.verdict != Verdict::Ok)
    return text + fmt::format("{}: {}\n", name(result.verdict), result.error);
  text +=
      fmt::format("{} ({}{}{}{})\nrepeats:", formatSeconds(result.latency()),
                  formatFlopRate(task.flops / result.latency()), isTf32(record) ? ", in TF32" : "",
                  record.verified ? ", verified" : ", not verified",
                  record.implausible ? ", implausibly fast: below the physical floor" : "");
  for (const double seconds : result.seconds)
    text += fmt::format(" {}", formatSeconds(seconds));
  if (!record.imported) // which says nothing of them
    text += fmt::format("; {} in each, {}", quantity(result.runsPerRepeat, "run"),
                        quantity(result.warmups, "warm-up"));
  if (result.evaluation) text += fmt::format("; {}", evaluationText(result));
  if (const std::string machine = inWords(result.machine); !machine.empty())
    text += fmt::format("; at {}", machine);
  text += "\n";
  for (const MeasuredKernel& kernel : result.kernels)
    text += inWords(kernel) + "\n";
  return text;
}

void show(const ShowOptions& options) {
  if (options.other != 0)
    return showDiff({options.database, options.otherDatabase, options.record, options.other,
                     options.steps, options.loops, options.ir, options.source, options.assembly,
                     options.json});
  if (options.emit.form) return showEmitted(options.database, options.record, options.emit);
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  const Record record = requiredRecord(store, options.record);
  const TaskRow task = taskOf(store, record);
  const Parts shown = parts(options, record, task, store);
  if (options.json) {
    nlohmann::json document{{"record", record.id},
                            {"task", task.key},
                            {"verdict", name(record.result.verdict)},
                            {"error", record.result.error},
                            {"repeats", record.result.seconds},
                            {"verified", record.verified},
                            {"tf32", isTf32(record)},
                            {"step_list", toJson(record.steps)},
                            {"trace", nullptr}};
    document["runs_per_repeat"] =
        record.imported ? nlohmann::json() : nlohmann::json(record.result.runsPerRepeat);
    if (record.result.evaluation) document["evaluation"] = evaluationJson(record.result);
    if (const std::string recording = recordingOf(store, record); !recording.empty())
      document["machine_of_session"] = recording;
    if (!record.trace.empty())
      document["trace"] =
          storedJson(record.trace, fmt::format("the origin of record {}", record.id));
    if (const std::string at = inWords(record.result.machine); !at.empty())
      document["machine"] = at;
    if (!record.result.kernels.empty()) document["kernels"] = toJson(record.result.kernels);
    for (const auto& [title, text] : shown)
      document[title] = text;
    if (options.features) document["features"] = featuresJson(readFeatures(store, record));
    if (options.ancestry) document["ancestry"] = ancestryJson(familyOf(store, record));
    if (options.draft)
      document["draft"] = toJson(draftedWorkOf(store, record, task), targetOf(store, task));
    if (options.counters) document["counters"] = toJson(countedHere(options, record, store));
    if (options.explain) document["explanation"] = explanationJson(explainScore(store, record));
    if (options.attention) document["attention"] = attentionJson(explainScore(store, record));
    const bool usual = options.all() && !task.dag.empty();
    if (options.layouts || options.work || usual) {
      try {
        const LoopFunction function = loweredAsMeasured(store, record, task);
        if (options.layouts || usual) document["layouts"] = layoutsJson(function);
        if (options.work || usual) document["work"] = workJson(parseDag(task.dag), function);
      } catch (const Error&) {
        if (options.count() == 1) throw; // else its text says why
      }
    }
    printJson(document);
    return;
  }
  if (options.all())
    cli::print("{}\n{}\n", headline(record, task, recordingOf(store, record)), task.dag);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown.size() > 1) cli::print("{}{}:\n", i > 0 ? "\n" : "", shown[i].first);
    cli::print("{}", shown[i].second);
  }
}

} // namespace

void addShow(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* verb = app.add_subcommand("show", "One record: its program in every form");
  verb->add_option("record", options->record, "Id of the record (nestwright query lists them)")
      ->required();
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_flag("--steps", options->steps, "The schedule steps, as in records and in words");
  verb->add_flag("--loops", options->loops, "The loop nest");
  verb->add_flag("--layouts", options->layouts,
                 "How constant inputs are stored for this program: extent and axis of each part, "
                 "outermost first");
  verb->add_flag("--work", options->work,
                 "Operations of the definition, and those that the program executes: padding is "
                 "left out, and what is inlined may be computed again");
  verb->add_flag(
      "--draft", options->draft,
      "What the program spends its time on by the draft, in closed form: for each stage, "
      "or each kernel of a GPU's program, arithmetic, caches, memory and so on, which "
      "overlap");
  verb->add_flag("--ir", options->ir, "The loop IR after all passes");
  verb->add_flag("--source", options->source,
                 "What the compiler is given: LLVM IR; of a GPU's program CUDA C");
  verb->add_flag("--asm", options->assembly,
                 "The machine code; of a GPU's program SASS, or PTX where nvdisasm is not found");
  verb->add_option("--code", options->code,
                   "The code in one form of its backend: llvm or asm, or of a GPU's program cuda, "
                   "ptx or sass")
      ->check(CLI::IsMember(codeFormNames()));
  verb->add_flag("--features", options->features,
                 "What cost models see, on a logarithmic scale: for each statement the paper's 164 "
                 "numbers and 20 of the program as it is executed, 36 of a GPU's");
  verb->add_flag("--explain", options->explain,
                 "What each feature added to the score that the session's cost model, as it is "
                 "saved now, gives the program (SHAP values), largest first");
  verb->add_flag("--attention", options->attention,
                 "Which steps each step looks at, in the network of a session that scores by "
                 "schedule steps (tlp, mtl-tlp): shares of its attention");
  verb->add_flag("--ancestry", options->ancestry,
                 "The programs that it was bred from, back to random ones, with what made each");
  CLI::Option* counters = verb->add_flag(
      "--counters", options->counters,
      "The program run here and now for 0.3 s while the processor counts: cycles, "
      "instructions, misses of the caches and of branches, page faults; its energy (RAPL); and "
      "what "
      "follows from them. What cannot be counted here says why. Nothing is stored");
  addWorkerCommand(*verb, options->workerCommand);
  verb->get_option("--worker-command")->needs(counters);
  CLI::Option* diff =
      verb->add_option("--diff", options->other,
                       "Another record to put beside it: latencies with their interval, and what "
                       "differs in the parts asked for (default: steps and loops)");
  verb->add_option("--diff-db", options->otherDatabase, "File of the other record (default: --db)")
      ->needs(diff);
  CLI::Option* json = verb->add_flag("--json", options->json, "Print as one JSON document");
  addEmitOptions(*verb, options->emit);
  verb->get_option("--emit")->excludes(diff)->excludes(json);
  verb->callback([options] { show(*options); });
}

} // namespace nestwright::cli
