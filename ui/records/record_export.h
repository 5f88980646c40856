#pragma once
/// \file Records for other programs: bare numbers under headers with their units.

#include "ui/kit/exportable.h"
#include "ui/records/record_columns.h"

#include <map>

namespace nestwright::ui {

/// All records that the query asks for, in these of recordColumns(), read page by page from the
/// file while they are written. May be used on any thread.
ExportTable recordTable(const QString& path, const RecordQuery& query,
                        const std::vector<int>& columns, std::map<RowId, TaskFacts> tasks);

/// The same records, each as a line of JSON with all that is known of it.
std::function<void(const std::function<bool(const QByteArray&)>& line)>
recordLines(const QString& path, const RecordQuery& query, std::map<RowId, TaskFacts> tasks);

} // namespace nestwright::ui
