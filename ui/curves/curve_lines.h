#pragma once
/// \file The lines among the tuning curves: the best so far of each task, and the weighted total,
/// dashed while some tasks count with their naive programs.

#include "core/story/curve_data.h"
#include "core/support/row_id.h"
#include "ui/kit/plot_library.h"

#include <QPointF>
#include <QString>

#include <functional>
#include <map>
#include <optional>

namespace nestwright::ui {

class Document;

class CurveLines {
 public:
  CurveLines(QCustomPlot& plot, Document& document);
  /// Takes what the document and the options say now, selection and colours included.
  void refresh(const CurveOptions& options);

  /// Null where the task has none.
  const QCPGraph* of(RowId task) const;
  const QCPGraph* total() const { return total_; }
  const QCPGraph* untuned() const { return untuned_; }
  /// All that is seen.
  void forEachVisible(const std::function<void(const QCPGraph& line)>& visit) const;

  struct Hit {
    RowId task = 0; // 0: the total
    QPointF place;  // coordinates
    QString text;
  };
  /// The line under the mouse.
  std::optional<Hit> hitAt(const QPointF& position, const CurveOptions& options) const;

 private:
  QCPGraph* addLine();
  void read(const CurveOptions& options);
  void style(const CurveOptions& options);
  QString describe(const Hit& hit, const CurveOptions& options) const;

  QCustomPlot& plot_;
  Document& document_;
  QCPGraph *untuned_, *total_;
  std::map<RowId, QCPGraph*> tasks_;
};

} // namespace nestwright::ui
