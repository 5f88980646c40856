#include "ui/records/record_columns.h"

#include "core/record/format/record_program.h"
#include "core/result/micro_batches.h"
#include "ui/charts/note_marks.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/kit/format.h"
#include "ui/kit/table/dimmed.h"
#include "ui/kit/text.h"

namespace nestwright::ui {
namespace {

using Order = BrowseOrder;

bool isOk(const Record& record) {
  return record.result.verdict == Verdict::Ok;
}

QString bare(double value) {
  return QString::number(value, 'g', 9);
}

QString noteOn(const RecordRow& row, const Document& document) {
  return noteText(noteOf(document.notes().all(), row.record.id));
}

QString taskOf(const RecordRow& row, const Document& document) {
  const TaskEntry* task = document.session().task(row.record.task);
  return task ? taskTitle(task->row.name) : tr("task %1").arg(row.record.task);
}

QString throughputOf(const RecordRow& row, const Document& document) {
  const TaskEntry* task = document.session().task(row.record.task);
  return isOk(row.record) && task ? throughputText(task->row.flops / row.seconds) : noValue();
}

QString tagsOf(const Record& record) {
  QStringList tags;
  for (const std::string& tag : record.tags)
    tags.append(qs(tag));
  return tags.join(QStringLiteral(", "));
}

/// Why a program that was faster once is not the best.
QString contestOf(const RecordRow& row, const Document& document) {
  const TaskEntry* task = document.session().task(row.record.task);
  if (task == nullptr || task->summary.bestRecord == 0) return tr("contested");
  const double gain = 1 - row.seconds / task->summary.bestSeconds;
  return gain > 0 ? tr("contested: %1 below the best, within noise").arg(percentText(gain))
                  : tr("contested, not faster than the best");
}

QString contestTip(const RecordRow& row, const Document& document) {
  const auto repeats = std::size_t(document.session().config().measure.repeats);
  const bool again = !row.record.result.evaluation && row.record.result.seconds.size() > repeats;
  return (again
              ? tr("At first it was measured below the best of its time. Measured again in turns "
                   "with that best, %1 repeats in all, it was not significantly faster.")
                    .arg(row.record.result.seconds.size())
              // A slow program has fewer repeats at first, so that these few may be all or not.
              : tr("It was measured below the best of its time, by less than measurements of one "
                   "program differ. Unless the log has it measured again in turns with that best, "
                   "nobody knows which is faster.")) +
         QLatin1Char('\n') + tr("Only a program that is faster in turns becomes the best.");
}

QString notesOf(const RecordRow& row, const Document& document) {
  const Record& record = row.record;
  QStringList notes;
  // What people wrote comes before what the session found.
  if (const QString note = noteOn(row, document); !note.isEmpty()) notes.append(note.simplified());
  if (!isOk(record)) notes.append(row.sentence);
  if (row.tf32) notes.append(QStringLiteral("TF32"));
  const TaskEntry* task = document.session().task(record.task);
  Record then; // its marks at the moment that is shown
  then.id = record.id, then.best = record.best, then.forgotten = record.forgotten;
  if (const auto marks = document.replayMode().otherMarks()) marks->apply(then);
  if (task && task->summary.bestRecord == record.id)
    notes.append(tr("best"));
  else if (then.best)
    notes.append(tr("was best"));
  if (record.verified) notes.append(tr("verified"));
  if (record.contested) notes.append(contestOf(row, document));
  if (record.implausible) notes.append(tr("implausibly fast"));
  if (record.onDemand) notes.append(tr("on demand"));
  if (then.forgotten) notes.append(tr("forgotten"));
  return notes.join(QStringLiteral(", "));
}

/// Words of our language, since other programs read them.
QString exportedNotes(const Record& record) {
  QStringList notes;
  if (!isOk(record)) notes.append(qs(oneSentence(record.result)));
  if (isTf32(record)) notes.append(QStringLiteral("TF32"));
  for (const auto& [has, word] : {std::pair(record.best, "best"),
                                  {record.verified, "verified"},
                                  {record.contested, "contested"},
                                  {record.implausible, "implausible"},
                                  {record.onDemand, "on demand"},
                                  {record.forgotten, "forgotten"}})
    if (has) notes.append(QLatin1String(word));
  return notes.join(QStringLiteral(", "));
}

QString stoppedEarly(const Record& record) {
  const std::optional<Evaluation>& evaluation = record.result.evaluation;
  if (!evaluation || evaluation->stopped == StopReason::AllRuns) return {};
  return qs(name(evaluation->stopped));
}

std::vector<RecordColumn> makeColumns() {
  using Row = RecordRow;
  const ColumnOrders byAge{Order::Oldest, Order::Newest, true};
  return {
      {.key = "record",
       .title = tr("Record"),
       .tip = tr("Number of the record in the file."),
       .widest = "10,000,000_",
       .text = [](const Row& row, const Document&) { return countText(row.record.id); },
       .exported = [](const Record& record,
                      const TaskFacts&) { return QString::number(record.id); },
       .isNumber = true,
       .orders = byAge},
      {.key = "session",
       .title = tr("Session"),
       .tip = tr("Number of the session in the file."),
       .widest = "Session__",
       .text = [](const Row& row, const Document&) { return countText(row.record.session); },
       .exported = [](const Record& record,
                      const TaskFacts&) { return QString::number(record.session); },
       .isNumber = true,
       .orders = ColumnOrders{Order::BySession, Order::BySessionDown}},
      {.key = "trial",
       .title = tr("Trial"),
       .tip = tr("Number of the trial within the session. A star or a leaf beside it: somebody "
                 "starred the record or wrote a note."),
       .widest = "1,000,000_",
       .text = [](const Row& row, const Document&) { return countText(row.record.trial); },
       .exported = [](const Record& record,
                      const TaskFacts&) { return QString::number(record.trial); },
       .isNumber = true,
       .orders = ColumnOrders{Order::FirstTrial, Order::LastTrial, true},
       .isUsual = true,
       .toolTip = noteOn},
      {.key = "task",
       .title = tr("Task"),
       .tip = tr("The task whose program was measured."),
       .widest = "Conv 3x3/2 64->128 on 56x56",
       .text = taskOf,
       .exported = [](const Record&, const TaskFacts& task) { return task.title; },
       .orders = ColumnOrders{Order::ByTask, Order::ByTaskDown},
       .isUsual = true,
       .toolTip = taskOf},
      {.key = "latency",
       .title = tr("Latency"),
       .tip = tr("Median of the repeats. Lower is better. The bar goes from the fastest (none) to "
                 "the slowest (full) of all that are listed, by ratio."),
       .widest = "999.9 ms____",
       .text = [](const Row& row,
                  const Document&) { return isOk(row.record) ? timeText(row.seconds) : noValue(); },
       .exported =
           [](const Record& record, const TaskFacts&) {
             return isOk(record) ? bare(record.result.latency() * 1e3) : QString();
           },
       .isNumber = true,
       .bareTitle = tr("Latency, ms"),
       .orders = ColumnOrders{Order::Fastest, Order::Slowest},
       .isUsual = true},
      {.key = "throughput",
       .title = tr("Throughput"),
       .tip = tr("The task's floating-point operations divided by the latency. Higher is better."),
       .widest = "99.99 GFLOP/s",
       .text = throughputOf,
       .exported =
           [](const Record& record, const TaskFacts& task) {
             return isOk(record) && task.flops > 0
                        ? bare(task.flops / record.result.latency() / 1e9)
                        : QString();
           },
       .isNumber = true,
       .bareTitle = tr("Throughput, GFLOP/s"),
       .orders = ColumnOrders{Order::ByThroughput, Order::ByThroughputDown, true}},
      {.key = "spread",
       .title = tr("Spread"),
       .tip = tr("Slowest minus fastest repeat, divided by the median. Lower is steadier."),
       .widest = "100.0 %__",
       .text =
           [](const Row& row, const Document&) {
             return isOk(row.record) && row.spread > 0 ? percentText(row.spread) : noValue();
           },
       .exported =
           [](const Record& record, const TaskFacts&) {
             return isOk(record) ? bare(relativeSpread(record.result.seconds)) : QString();
           },
       .isNumber = true,
       .isUsual = true},
      {.key = "verdict",
       .title = tr("Verdict"),
       .tip = tr("ok, or the stage at which the program failed."),
       .widest = "build timeout_",
       .text = [](const Row& row, const Document&) { return qs(name(row.record.result.verdict)); },
       .exported = [](const Record& record,
                      const TaskFacts&) { return qs(name(record.result.verdict)); },
       .orders = ColumnOrders{Order::ByVerdict, Order::ByVerdictDown},
       .isUsual = true,
       .isQuiet = true},
      {.key = "tags",
       .title = tr("Tags"),
       .tip = tr("Words that you put on records, to find them again."),
       .widest = "baseline, keep",
       .text = [](const Row& row, const Document&) { return tagsOf(row.record); },
       .exported = [](const Record& record, const TaskFacts&) { return tagsOf(record); },
       .toolTip = [](const Row& row, const Document&) { return tagsOf(row.record); }},
      {.key = "wall",
       .title = tr("After"),
       .tip = tr("Time since the session's start, pauses left out."),
       .widest = "12 min 5 s__",
       .text = [](const Row& row, const Document&) { return durationText(row.record.wallSeconds); },
       .exported = [](const Record& record, const TaskFacts&) { return bare(record.wallSeconds); },
       .isNumber = true,
       .bareTitle = tr("After, s"),
       .orders = ColumnOrders{Order::ByWall, Order::ByWallDown},
       .isQuiet = true},
      {.key = "measured",
       .title = tr("Measured at"),
       .tip = tr("When the measurement began, local time."),
       .widest = "2026-11-20 23:04:11",
       .text =
           [](const Row& row, const Document&) {
             const std::int64_t at = row.record.result.startedAt;
             return at > 0 ? momentText(at) : noValue();
           },
       .exported =
           [](const Record& record, const TaskFacts&) {
             return record.result.startedAt > 0 ? momentText(record.result.startedAt) : QString();
           },
       .orders = byAge,
       .isQuiet = true},
      {.key = "program",
       .title = tr("Program"),
       .tip = tr("Beginning of the program's hash: equal programs have equal ones."),
       .widest = "0123456789ab_",
       .text = [](const Row& row, const Document&) { return qs(row.record.program).left(12); },
       .exported = [](const Record& record, const TaskFacts&) { return qs(record.program); },
       .isQuiet = true,
       .toolTip = [](const Row& row, const Document&) { return qs(row.record.program); }},
      {.key = "runs",
       .title = tr("Runs"),
       .tip = tr("How many runs were timed. Of micro-batches an evaluator decides how many."),
       .widest = "10,000__",
       .text =
           [](const Row& row, const Document&) {
             return isOk(row.record) ? countText(timedRuns(row.record.result)) : noValue();
           },
       .exported =
           [](const Record& record, const TaskFacts&) {
             return isOk(record) ? QString::number(timedRuns(record.result)) : QString();
           },
       .isNumber = true,
       .isQuiet = true},
      {.key = "stopped",
       .title = tr("Stopped early"),
       .tip = tr("Why the evaluator made no further micro-batch before all runs were made. Steady: "
                 "their speeds agreed. Empty: all runs were made, or the program was timed in "
                 "repeats."),
       .widest = "recording ended_",
       .text = [](const Row& row, const Document&) { return stoppedEarly(row.record); },
       .exported = [](const Record& record, const TaskFacts&) { return stoppedEarly(record); },
       .isQuiet = true},
      {.key = "notes",
       .title = tr("Notes"),
       .tip =
           tr("What somebody wrote about the record. Best: became its task's best. Verified: "
              "its outputs agreed with the naive program. TF32: it rounds factors of float32, so "
              "its time is not one of float32. For an error, its reason in one sentence."),
       .widest = nullptr,
       .text = notesOf,
       .exported = [](const Record& record, const TaskFacts&) { return exportedNotes(record); },
       .isUsual = true,
       .isQuiet = true,
       .toolTip =
           [](const Row& row, const Document& document) {
             if (!isOk(row.record)) return row.sentence;
             if (!row.record.contested) return noteOn(row, document);
             const QString note = noteOn(row, document);
             return note.isEmpty() ? contestTip(row, document)
                                   : note + QLatin1Char('\n') + contestTip(row, document);
           }}};
}

} // namespace

const std::vector<RecordColumn>& recordColumns() {
  static const std::vector<RecordColumn> columns = makeColumns();
  return columns;
}

TableColumn<RecordRow> tableColumn(const RecordColumn& column, const Document& document) {
  TableColumn<RecordRow> shown{
      .title = column.title,
      .tip = column.tip,
      .text = [&document, text = column.text](const RecordRow& row) { return text(row, document); },
      .align = column.isNumber ? kRight : kLeft,
      .bareTitle = column.bareTitle};
  if (column.isNumber)
    shown.bare = [&document, bare = column.exported](const RecordRow& row) {
      const TaskEntry* task = document.session().task(row.record.task);
      return bare(row.record, {{}, task ? task->row.flops : 0});
    };
  if (column.toolTip)
    shown.toolTip = [&document, tip = column.toolTip](const RecordRow& row) {
      return tip(row, document);
    };
  if (column.isQuiet) shown.colour = kDimmed;
  return shown;
}

} // namespace nestwright::ui
