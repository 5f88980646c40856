#include "ui/records/record_export.h"

#include "core/record/format/record_json.h"
#include "core/record/store/record_rows.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

namespace nestwright::ui {
namespace {

using Column = RecordModel::Column;
constexpr int kPage = 1000;

/// Gives every record of the query to `take` until that returns false.
void forEachRecord(const QString& path, RecordQuery query,
                   const std::function<bool(const Record&)>& take) {
  const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
  query.limit = kPage;
  for (;;) {
    std::vector<Record> page = store.records().page(query);
    for (Record& record : page) {
      if (query.marks) query.marks->apply(record);
      if (!take(record)) return;
    }
    if (int(page.size()) < kPage) return;
    query.after.emplace();
    query.after->id = page.back().id;
  }
}

QString tagsOf(const Record& record) {
  QStringList tags;
  for (const std::string& tag : record.tags)
    tags.append(qs(tag));
  return tags.join(QStringLiteral(", "));
}

/// Words of our language, since other programs read them.
QString notesOf(const Record& record) {
  QStringList notes;
  if (record.result.verdict != Verdict::Ok) notes.append(qs(oneSentence(record.result)));
  for (const auto& [has, word] : {std::pair(record.best, "best"),
                                  {record.verified, "verified"},
                                  {record.contested, "contested"},
                                  {record.implausible, "implausible"},
                                  {record.onDemand, "on demand"},
                                  {record.forgotten, "forgotten"}})
    if (has) notes.append(QLatin1String(word));
  return notes.join(QStringLiteral(", "));
}

QString cellOf(const Record& record, Column column, const TaskFacts& task) {
  const QVariant number = bareNumber(record, column, task.flops);
  if (number.isValid()) return number.toString();
  switch (column) {
  case RecordModel::Task:
    return task.title;
  case RecordModel::Outcome:
    return qs(name(record.result.verdict));
  case RecordModel::Tags:
    return tagsOf(record);
  case RecordModel::Measured:
    return record.result.startedAt > 0 ? momentText(record.result.startedAt) : QString();
  case RecordModel::Program:
    return qs(record.program);
  case RecordModel::Notes:
    return notesOf(record);
  default:
    return {};
  }
}

} // namespace

QString exportTitle(Column column) {
  switch (column) {
  case RecordModel::Latency:
    return RecordModel::tr("Latency, ms");
  case RecordModel::Throughput:
    return RecordModel::tr("Throughput, GFLOP/s");
  case RecordModel::Wall:
    return RecordModel::tr("After, s");
  default:
    return RecordModel::title(column);
  }
}

QVariant bareNumber(const Record& record, Column column, double flops) {
  const bool ok = record.result.verdict == Verdict::Ok;
  const auto number = [](double value, bool known) {
    return known ? QVariant(QString::number(value, 'g', 9)) : QVariant(QString());
  };
  switch (column) {
  case RecordModel::Number:
    return static_cast<qlonglong>(record.id);
  case RecordModel::Session:
    return static_cast<qlonglong>(record.session);
  case RecordModel::Trial:
    return static_cast<qlonglong>(record.trial);
  case RecordModel::Latency:
    return number(record.result.median() * 1e3, ok);
  case RecordModel::Throughput:
    return number(flops / record.result.median() / 1e9, ok && flops > 0);
  case RecordModel::Spread:
    return number(relativeSpread(record.result.seconds), ok);
  case RecordModel::Wall:
    return number(record.wallSeconds, true);
  default:
    return {};
  }
}

ExportTable recordTable(const QString& path, const RecordQuery& query,
                        const std::vector<Column>& columns, std::map<RowId, TaskFacts> tasks) {
  ExportTable table;
  for (const Column column : columns) {
    if (column == Column::Number) table.recordColumn = int(table.headers.size());
    table.headers.append(exportTitle(column));
  }
  table.rows = [=, tasks = std::move(tasks)](const std::function<bool(const QStringList&)>& row) {
    forEachRecord(path, query, [&](const Record& record) {
      const auto task = tasks.find(record.task);
      QStringList cells;
      for (const Column column : columns)
        cells.append(cellOf(record, column, task == tasks.end() ? TaskFacts{} : task->second));
      return row(cells);
    });
  };
  return table;
}

std::function<void(const std::function<bool(const QByteArray&)>& line)>
recordLines(const QString& path, const RecordQuery& query, std::map<RowId, TaskFacts> tasks) {
  return [=, tasks = std::move(tasks)](const std::function<bool(const QByteArray&)>& line) {
    forEachRecord(path, query, [&](const Record& record) {
      const auto task = tasks.find(record.task);
      const QString title = task == tasks.end() ? QString() : task->second.title;
      return line(QByteArray::fromStdString(recordLine(record, title.toStdString())));
    });
  };
}

} // namespace nestwright::ui
