#pragma once
/// \file Records for other programs: bare numbers under headers with their units.

#include "ui/kit/exportable.h"
#include "ui/records/record_model.h"

#include <QVariant>

#include <map>

namespace nestwright::ui {

/// What is needed of a record's task.
struct TaskFacts {
  QString title;
  double flops = 0;
};

/// The header of a column with the unit of its bare numbers: "Latency, ms".
QString exportTitle(RecordModel::Column column);
/// A number without its unit, empty text where there is none; invalid for columns of text.
QVariant bareNumber(const Record& record, RecordModel::Column column, double flops);

/// All records that the query asks for, in these columns, read page by page from the file while
/// they are written. May be used on any thread.
ExportTable recordTable(const QString& path, const RecordQuery& query,
                        const std::vector<RecordModel::Column>& columns,
                        std::map<RowId, TaskFacts> tasks);

/// The same records, each as a line of JSON with all that is known of it.
std::function<void(const std::function<bool(const QByteArray&)>& line)>
recordLines(const QString& path, const RecordQuery& query, std::map<RowId, TaskFacts> tasks);

} // namespace nestwright::ui
