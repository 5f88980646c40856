#include "ui/program/provenance.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/target_rows.h"
#include "core/session/run/events.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/story/footprints.h"
#include "core/support/error.h"
#include "ui/document/words/trace_facts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <variant>

namespace nestwright::ui {
namespace {

using Facts = std::vector<Provenance>;

/// A parent among the session's records of the task. Looked for among the fastest and the newest:
/// parents are; none is said to be one that was only thought of.
RowId recordOf(const RecordStore& store, const Record& child, const std::string& program) {
  RecordQuery query;
  query.task = child.task, query.session = child.session, query.limit = 500;
  for (const auto order : {RecordQuery::Order::Fastest, RecordQuery::Order::Newest}) {
    query.order = order;
    for (const Record& record : store.records().page(query))
      if (record.program == program) return record.id;
  }
  return 0;
}

/// The record of this file that a remembered program was made from; 0 where there is none.
RowId rememberedFrom(const RecordStore& store, const Trace& trace) {
  const std::optional<Record> source =
      trace.source == 0 ? std::nullopt : store.records().one(trace.source);
  const bool isIt = source && !trace.parents.empty() && source->program == trace.parents.front();
  return isIt ? source->id : 0;
}

std::optional<Trace> readableTrace(const Record& record) {
  try {
    return traceOf(record);
  } catch (const std::exception&) { // damaged, which traceFacts() shows
    return std::nullopt;
  }
}

void addTrace(Facts& facts, const RecordStore& store, const Record& record) {
  const std::optional<Trace> trace = readableTrace(record);
  const bool isRemembered = trace && trace->origin == Origin::Remembered;
  for (TraceFact& fact : traceFacts(record)) {
    const RowId id = fact.parent.empty() ? 0
                     : isRemembered      ? rememberedFrom(store, *trace)
                                         : recordOf(store, record, fact.parent);
    if (fact.parent.empty())
      facts.push_back({fact.name, fact.value, fact.meaning});
    else if (id != 0)
      facts.push_back({fact.name, tr("record %1").arg(id),
                       tr("The program that it was made from. Double-click shows it."), id});
    else if (isRemembered)
      facts.push_back(
          {fact.name, tr("%1, of another file").arg(fact.value),
           tr("It was re-fitted from a record of another file, which stands under Why.")});
    else
      facts.push_back(
          {fact.name, tr("%1, not measured").arg(fact.value),
           tr("It was made from a program of an earlier generation that was not measured.")});
  }
}

void addSession(Facts& facts, const RecordStore& store, const Record& record) {
  const std::optional<SessionRow> session = store.sessions().one(record.session);
  if (!session) return;
  facts.push_back(
      {tr("Session"),
       QStringLiteral("%1 · %2").arg(qs(session->title), momentText(session->createdAt)),
       tr("The tuning session that measured it, and when that began.")});
  facts.push_back(
      {tr("Trial"), countText(record.trial), tr("Number of the measurement within the session.")});
  const auto [seed, command, machine] = recordedSettings(*session);
  if (!seed.empty())
    facts.push_back({tr("Seed"), qs(seed), tr("Seed of the session's random draws.")});
  if (!machine.empty())
    facts.push_back({tr("Machine"), qs(machine),
                     tr("Records of this file answered: nothing was measured by this session.")});
  if (!command.empty())
    facts.push_back({tr("Worker command"), tr("%1 (recorded, not used)").arg(qs(command)),
                     tr("What the file says of the program that measured. Commands of a file are "
                        "never run; Session ▸ Worker Command is yours.")});
  if (!session->product.empty())
    facts.push_back({tr("Written by"), qs(session->product),
                     tr("Version of Nestwright that made the session.")});
}

QString versionText(int version) {
  return QStringLiteral("%1.%2").arg(version / 1000).arg(version % 1000 / 10);
}

void addGpu(Facts& facts, const GpuFacts& gpu) {
  QStringList words;
  if (!gpu.name.empty()) words.append(qs(gpu.name));
  if (const std::string architecture = gpu.architecture.name(); !architecture.empty())
    words.append(qs(architecture));
  if (gpu.multiprocessors > 0) words.append(tr("%1 multiprocessors").arg(gpu.multiprocessors));
  if (gpu.clockKilohertz > 0)
    words.append(tr("up to %1").arg(frequencyText(gpu.clockKilohertz * 1e3)));
  facts.push_back({tr("GPU"), words.isEmpty() ? tr("not named") : words.join(QStringLiteral(", ")),
                   gpu.name.empty() ? tr("What programs were made for; no device of it is named.")
                                    : tr("The device that it was measured on.")});
  if (gpu.driverVersion > 0)
    facts.push_back({tr("Driver"), tr("runs CUDA %1").arg(versionText(gpu.driverVersion)),
                     tr("What the GPU's driver can run: cubins of this version and earlier.")});
  if (gpu.nvrtcVersion > 0)
    facts.push_back({tr("Compiler"), tr("NVRTC %1").arg(versionText(gpu.nvrtcVersion)),
                     tr("What compiled its programs.")});
}

void addMachine(Facts& facts, const RecordStore& store, const TaskRow& task) {
  for (const TargetRow& target : store.targets().all()) {
    if (target.id != task.target) continue;
    const TargetFacts known = factsIfKnown(target).value_or(TargetFacts());
    if (known.gpu)
      addGpu(facts, *known.gpu);
    else if (!known.modelName.empty())
      facts.push_back(
          {tr("Machine"), qs(known.modelName), tr("The processor that it was measured on.")});
    facts.push_back({tr("Target"), qs(target.text),
                     tr("What programs were compiled for; records of other targets are never "
                        "mixed with these.")});
  }
}

/// What the machine's clocks and its other load were when the session last began to measure before
/// this record.
void addConditions(Facts& facts, const RecordStore& store, const Record& record) {
  std::optional<EventRow> checked;
  for (const RowId id : store.events().ids(record.session, "environment")) {
    std::optional<EventRow> event = store.events().one(id);
    if (!event || (checked && record.result.startedAt > 0 && event->at > record.result.startedAt))
      break;
    checked = std::move(event);
  }
  if (!checked) return;
  std::vector<EnvironmentFinding> findings;
  try {
    const std::optional<Event> told = eventOf(*checked);
    if (told) findings = std::get<EnvironmentChecked>(*told).findings;
  } catch (const InputError&) {
    return; // the other facts are worth showing all the same
  }
  QStringList clocks, others, advice;
  for (const EnvironmentFinding& finding : findings) {
    const bool clock =
        finding.what == EnvironmentKind::Governor || finding.what == EnvironmentKind::Boost;
    (clock ? clocks : others).append(qs(finding.fact));
    if (!finding.advice.empty()) advice.append(qs(finding.advice));
  }
  const auto addFact = [&](const QString& name, const QStringList& what, const QString& meaning) {
    facts.push_back(
        {name, what.isEmpty() ? tr("the machine did not tell") : what.join(QStringLiteral("; ")),
         meaning});
  };
  addFact(tr("Clocks"), clocks,
          tr("What governed the processor's clock as the session began to measure. Steady clocks "
             "make latencies that can be compared."));
  addFact(tr("Conditions"), others,
          tr("What else was found out about the machine then, %1. A quiet one measures best.")
                  .arg(momentText(checked->at)) +
              (advice.isEmpty() ? QString() : QLatin1Char('\n') + advice.join(QLatin1Char('\n'))));
}

/// How fast and how warm what measured was, if the record says so.
void addMachineState(Facts& facts, const MeasureResult& result, const TargetFacts& target) {
  const std::string state = inWords(result.machine);
  if (state.empty()) return;
  facts.push_back(
      {target.gpu ? tr("GPU at") : tr("Processor at"), qs(state),
       target.gpu
           ? tr("Clock and temperature of the GPU when the last repeat had ended, and what else "
                "its "
                "driver told. A warm or capped GPU lowers its clock: times compare at equal ones.")
           : tr("Clock and temperature of the processor when the last repeat had ended. Times "
                "compare at equal ones.")});
}

void addMeasurement(Facts& facts, const Record& record, const TargetFacts& target) {
  const MeasureResult& result = record.result;
  QStringList repeats;
  for (const double seconds : result.seconds)
    repeats.append(timeText(seconds));
  if (!repeats.isEmpty()) {
    facts.push_back({tr("Repeats"), repeats.join(QStringLiteral(", ")),
                     tr("Every repeat; the latency is their median.")});
    facts.push_back({tr("Spread"), percentText(result.spread()),
                     tr("Largest minus smallest repeat, as a share of the median. Lower is "
                        "better.")});
    if (!record.imported) // which says nothing of them
      facts.push_back({tr("Runs per repeat"),
                       tr("%1 after %2 warm-ups, cache %3")
                           .arg(result.runsPerRepeat)
                           .arg(result.warmups)
                           .arg(result.cacheFlushed ? tr("flushed") : tr("kept")),
                       tr("A short kernel runs several times within a repeat.")});
    if (result.evaluation)
      facts.push_back({tr("Evaluator"), qs(evaluationText(result)),
                       tr("How many micro-batches were made, why no more, and how much their "
                          "speeds vary.")});
    facts.push_back({tr("Checked"),
                     record.verified ? tr("agrees with the naive program (error %1)")
                                           .arg(result.maxRelativeError, 0, 'g', 2)
                                     : tr("not compared with the naive program"),
                     tr("Only programs whose answers were compared can become best.")});
    addMachineState(facts, result, target);
  } else {
    facts.push_back({tr("Verdict"), qs(name(result.verdict)), tr("How the measurement ended.")});
    facts.push_back({tr("Reason"), qs(result.error).trimmed(), tr("In the words of the worker.")});
  }
  for (const MeasuredKernel& kernel : result.kernels)
    facts.push_back({tr("Kernel"), qs(inWords(kernel)),
                     tr("What it took when it was measured, as its compiler said: registers of a "
                        "thread, bytes that it moves out of them and back, shared memory of a "
                        "block, and how many warps a multiprocessor holds of those that it "
                        "could.")});
  facts.push_back({tr("Build time"), timeText(result.buildSeconds),
                   tr("Replaying the steps, lowering and compiling.")});
  if (result.startedAt > 0)
    facts.push_back({tr("Measured at"), momentText(result.startedAt), tr("Local time.")});
  facts.push_back({tr("Program"), qs(record.program),
                   tr("Identity of the program: a hash of what it computes and its steps.")});
}

} // namespace

std::vector<Provenance> provenanceOf(const RecordStore& store, const TaskRow& task,
                                     const std::optional<Record>& record, double naiveSeconds) {
  Facts facts;
  if (!record) {
    facts.push_back({tr("Made by"), tr("nobody: the loops as the compute DAG says"),
                     tr("The naive program has no steps.")});
    facts.push_back({tr("Latency"),
                     naiveSeconds > 0 ? timeText(naiveSeconds) : tr("not measured yet"),
                     tr("One thread, compiled without vectorisation.")});
    addMachine(facts, store, task);
    return facts;
  }
  addTrace(facts, store, *record);
  addMeasurement(facts, *record, targetOrHost(store, task.id));
  addSession(facts, store, *record);
  addMachine(facts, store, task);
  addConditions(facts, store, *record);
  return facts;
}

} // namespace nestwright::ui
