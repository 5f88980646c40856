#pragma once
/// \file What a view gives away: a picture, a table, a text. One implementation (ui/kit/exporter.h)
/// turns that into files and clipboard contents; views only say what they have.
///
/// A view without a word of this is exported as it is seen, with the tables in it.

#include "ui/kit/roles.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

class QAbstractItemView;
class QPainter;
class QWidget;

namespace nestwright::ui {

/// Rows of text, numbers without units: the units stand in the headers.
struct ExportTable {
  QStringList headers;
  /// Gives every row to `row` until that returns false. Runs on another thread: it owns what it
  /// reads, or opens the document by itself.
  std::function<void(const std::function<bool(const QStringList&)>& row)> rows;
  /// The column with the numbers of records, so that a row leads to its program; -1: none.
  int recordColumn = -1;
};

/// One of several tables of a view.
struct NamedTable {
  QString name; // "Histogram of latencies"
  ExportTable table;
};

/// A moment of a view. What is empty is not offered.
struct Exports {
  QString name;                        // of files, without ending: "tuning-curves"
  QString title;                       // heading of documents: "Tuning curves of resnet18"
  QSize size;                          // of the picture, in pixels at 100 %
  std::function<void(QPainter&)> draw; // paints the picture into QRect({}, size); GUI thread
  std::optional<ExportTable> table;
  QString tableName; // where there are more
  /// What else it shows as numbers, such as those of a second chart: for "Show as Table".
  std::vector<NamedTable> more;
  /// What the clipboard gets in place of a table that has to be read from the file; at hand.
  std::optional<ExportTable> clip;
  /// The table's rows as JSON, a line each; as the rows, on another thread.
  std::function<void(const std::function<bool(const QByteArray&)>& line)> lines;
  QString text; // for the clipboard, where it says more than the table
};

/// Implemented by views (as a second base class) that have more to give than what is seen.
class ExportableView {
 public:
  virtual ~ExportableView() = default;
  /// Called on the GUI thread when the user exports or copies; quick.
  virtual Exports exports() = 0;
};

/// The rows, each with a cell for every header.
ExportTable tableOfRows(const QStringList& headers, std::vector<QStringList> rows,
                        int recordColumn = -1);
/// What is seen of a widget, as a picture; with the tables in it, but for those behind other tabs.
Exports seenOf(QWidget* view);
/// What the view gives: its own words, or else what is seen of it.
Exports exportsOf(QWidget* view, const QString& name, const QString& title);
/// The visible columns of a table or tree in their present order, all rows that the model has; by
/// the ExportRole, and as they are shown where the model gives nothing for it.
ExportTable tableOf(const QAbstractItemView* view);

} // namespace nestwright::ui
