/// What the cells of the records say.
#include "ui/charts/note_marks.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/kit/exportable.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/records/record_export.h"
#include "ui/records/record_model.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

Qt::Alignment alignmentOf(int column) {
  switch (column) {
  case RecordModel::Number:
  case RecordModel::Session:
  case RecordModel::Trial:
  case RecordModel::Latency:
  case RecordModel::Throughput:
  case RecordModel::Spread:
  case RecordModel::Wall:
    return Qt::AlignRight | Qt::AlignVCenter;
  default:
    return Qt::AlignLeft | Qt::AlignVCenter;
  }
}

/// What a row shows that was not read yet.
QVariant waitingData(RowId record, int column, int role) {
  switch (role) {
  case Qt::DisplayRole:
    return QStringLiteral("…");
  case Qt::TextAlignmentRole:
    return QVariant::fromValue(alignmentOf(column));
  case Qt::ForegroundRole:
    return colours().faint;
  case RecordRole:
    return static_cast<qlonglong>(record);
  default:
    return {};
  }
}

} // namespace

const char* RecordModel::key(Column column) {
  constexpr const char* kKeys[] = {"record",     "session", "trial",   "task", "latency",
                                   "throughput", "spread",  "verdict", "tags", "wall",
                                   "measured",   "program", "notes"};
  static_assert(std::size(kKeys) == ColumnCount);
  return kKeys[column];
}

std::optional<QString> RecordModel::textAt(int row, int column) const {
  const RecordRow* found = cache_.find(recordAt(row));
  return found != nullptr ? std::optional(textOf(*found, column)) : std::nullopt;
}

QString RecordModel::notes(const RecordRow& row) const {
  const Record& record = row.record;
  QStringList notes;
  // What people wrote comes before what the session found.
  if (const QString note = noteText(noteOf(document_.notes().all(), record.id)); !note.isEmpty())
    notes.append(note.simplified());
  if (record.result.verdict != Verdict::Ok) notes.append(row.sentence);
  const TaskEntry* task = document_.task(record.task);
  Record then; // its marks at the moment that is shown
  then.id = record.id, then.best = record.best, then.forgotten = record.forgotten;
  if (const auto marks = document_.otherMarks()) marks->apply(then);
  if (task && task->summary.bestRecord == record.id)
    notes.append(tr("best"));
  else if (then.best)
    notes.append(tr("was best"));
  if (record.verified) notes.append(tr("verified"));
  if (record.contested) notes.append(tr("contested"));
  if (record.implausible) notes.append(tr("implausibly fast"));
  if (record.onDemand) notes.append(tr("on demand"));
  if (then.forgotten) notes.append(tr("forgotten"));
  return notes.join(QStringLiteral(", "));
}

QString RecordModel::textOf(const RecordRow& row, int column) const {
  const Record& record = row.record;
  const bool ok = record.result.verdict == Verdict::Ok;
  const TaskEntry* task = document_.task(record.task);
  switch (column) {
  case Number:
    return countText(record.id);
  case Session:
    return countText(record.session);
  case Trial:
    return countText(record.trial);
  case Task:
    return task ? taskTitle(task->row.name) : tr("task %1").arg(record.task);
  case Latency:
    return ok ? timeText(row.seconds) : noValue();
  case Throughput:
    return ok && task ? throughputText(task->row.flops / row.seconds) : noValue();
  case Spread:
    return ok && row.spread > 0 ? percentText(row.spread) : noValue();
  case Outcome:
    return qs(name(record.result.verdict));
  case Tags: {
    QStringList tags;
    for (const std::string& tag : record.tags)
      tags.append(qs(tag));
    return tags.join(QStringLiteral(", "));
  }
  case Wall:
    return durationText(record.wallSeconds);
  case Measured:
    return record.result.startedAt > 0 ? momentText(record.result.startedAt) : noValue();
  case Program:
    return qs(record.program).left(12);
  case Notes:
    return notes(row);
  default:
    return {};
  }
}

QVariant RecordModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rows_) return {};
  const RowId record = recordAt(index.row());
  const RecordRow* const found = record != 0 ? cache_.find(record) : nullptr;
  if (found == nullptr) {
    const auto guess = guesses_.find(index.row());
    if ((role == Qt::DisplayRole || role == ExportRole) &&
        (guess == guesses_.end() || guess->second != 0))
      miss(index.row());
    return waitingData(record, index.column(), role);
  }
  const RecordRow& row = *found;
  const bool ok = row.record.result.verdict == Verdict::Ok;
  switch (role) {
  case Qt::DisplayRole:
    return textOf(row, index.column());
  case ExportRole: {
    const TaskEntry* task = document_.task(row.record.task);
    return bareNumber(row.record, Column(index.column()), task ? task->row.flops : 0);
  }
  case Qt::DecorationRole:
    // In a column that is mostly in sight, beside the number.
    if (const Note& note = noteOf(document_.notes().all(), row.record.id);
        index.column() == Trial && !note.empty())
      return noteIcon(note);
    return {};
  case Qt::ToolTipRole:
    if (index.column() == Trial || (index.column() == Notes && ok))
      return noteText(noteOf(document_.notes().all(), row.record.id));
    if (index.column() == Notes && !ok) return row.sentence;
    if (index.column() == Program) return qs(row.record.program);
    return index.column() == Task || index.column() == Tags ? textOf(row, index.column())
                                                            : QVariant();
  case Qt::TextAlignmentRole:
    return QVariant::fromValue(alignmentOf(index.column()));
  case Qt::ForegroundRole:
    if (!ok && index.column() == Outcome) return colours().failed;
    if (index.column() >= Outcome && index.column() != Tags) return colours().dim;
    return {};
  case RecordRole:
    return static_cast<qlonglong>(row.record.id);
  case TaskRole:
    return static_cast<qlonglong>(row.record.task);
  case ErrorRole:
    return !ok;
  case FractionRole:
    if (index.column() != Latency || !ok || !(best_ > 0) || !(worst_ > best_)) return {};
    return std::clamp(std::log(row.seconds / best_) / std::log(worst_ / best_), 0.0, 1.0);
  default:
    return {};
  }
}

QString RecordModel::title(Column column) {
  switch (column) {
  case Number:
    return tr("Record");
  case Session:
    return tr("Session");
  case Trial:
    return tr("Trial");
  case Task:
    return tr("Task");
  case Latency:
    return tr("Latency");
  case Throughput:
    return tr("Throughput");
  case Spread:
    return tr("Spread");
  case Outcome:
    return tr("Verdict");
  case Tags:
    return tr("Tags");
  case Wall:
    return tr("After");
  case Measured:
    return tr("Measured at");
  case Program:
    return tr("Program");
  case Notes:
    return tr("Notes");
  default:
    return {};
  }
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(alignmentOf(section));
  if (role == ExportRole) return exportTitle(Column(section));
  if (role == Qt::DisplayRole) return title(Column(section));
  if (role != Qt::ToolTipRole) return {};
  switch (section) {
  case Number:
    return tr("Number of the record in the file.");
  case Session:
    return tr("Number of the session in the file.");
  case Trial:
    return tr("Number of the trial within the session. A star or a leaf beside it: somebody "
              "starred the record or wrote a note.");
  case Task:
    return tr("The task whose program was measured.");
  case Latency:
    return tr("Median of the repeats. Lower is better. The bar goes from the fastest (none) "
              "to the slowest (full) of all that are listed, by ratio.");
  case Throughput:
    return tr("The task's floating-point operations divided by the latency. Higher is "
              "better.");
  case Spread:
    return tr("Slowest minus fastest repeat, divided by the median. Lower is steadier.");
  case Outcome:
    return tr("ok, or the stage at which the program failed.");
  case Tags:
    return tr("Words that you put on records, to find them again.");
  case Wall:
    return tr("Time since the session's start, pauses left out.");
  case Measured:
    return tr("When the measurement began, local time.");
  case Program:
    return tr("Beginning of the program's hash: equal programs have equal ones.");
  case Notes:
    return tr("What somebody wrote about the record. Best: became its task's best. Verified: its "
              "outputs agreed with the naive "
              "program. For an error, its reason in one sentence.");
  default:
    return {};
  }
}

} // namespace nestwright::ui
