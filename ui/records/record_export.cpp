#include "ui/records/record_export.h"

#include "core/record/format/record_json.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

namespace nestwright::ui {
namespace {

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
    query.after = page.back().id;
  }
}

} // namespace

ExportTable recordTable(const QString& path, const RecordQuery& query,
                        const std::vector<int>& columns, std::map<RowId, TaskFacts> tasks) {
  ExportTable table;
  std::vector<RecordColumn> chosen;
  for (const int column : columns) {
    const RecordColumn& one = recordColumns().at(static_cast<std::size_t>(column));
    if (one.key == std::string_view("record")) table.recordColumn = int(table.headers.size());
    table.headers.append(one.bareTitle.isEmpty() ? one.title : one.bareTitle);
    chosen.push_back(one);
  }
  table.rows = [=, chosen = std::move(chosen),
                tasks = std::move(tasks)](const std::function<bool(const QStringList&)>& row) {
    forEachRecord(path, query, [&](const Record& record) {
      const auto task = tasks.find(record.task);
      QStringList cells;
      for (const RecordColumn& column : chosen)
        cells.append(column.exported(record, task == tasks.end() ? TaskFacts{} : task->second));
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
