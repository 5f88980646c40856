#pragma once
/// \file The selected task's trials among the tuning curves: a dot each, faint where a record is
/// not listed, and a cross along the bottom for each that failed.

#include "core/record/rows/record_filter.h"
#include "core/story/curve_data.h"
#include "core/support/row_id.h"
#include "ui/document/filtered_records.h"
#include "ui/kit/plot_library.h"

#include <QPointF>
#include <QRect>
#include <QString>

#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;

class CurveTrials {
 public:
  CurveTrials(QCustomPlot& plot, Document& document);
  /// Takes what the document and the options say now, in the colour of the task; the axes have
  /// their ranges.
  void refresh(const CurveOptions& options, const FilteredRecords& listed);
  /// Dots that are drawn, of listed records and of others.
  int listedDots() const { return dots_->dataCount(); }
  int otherDots() const { return others_->dataCount(); }
  /// What is said of the listed ones; empty while all are.
  QString listedText(const CurveOptions& options, const FilteredRecords& listed) const;

  struct Hit {
    RowId task = 0, record = 0;
    QPointF place; // coordinates; y is 0 for one that failed
    QString text;
  };
  /// The trial under the mouse.
  std::optional<Hit> hitAt(const QPointF& position, const CurveOptions& options) const;
  /// What a part of the plot, in pixels, asks of records; without a selected task only the range
  /// along the x axis says something.
  std::vector<FilterCondition> conditionsOf(const QRect& area, const CurveOptions& options) const;

 private:
  const TaskHistory* task() const;
  void restyle();

  QCustomPlot& plot_;
  Document& document_;
  QCPGraph *otherErrors_, *errors_, *others_, *dots_;
};

} // namespace nestwright::ui
