#pragma once
/// \file Figures of the listed or selected records: histogram, times, and how the others failed.

#include "core/record/rows/record_statistics.h"
#include "ui/kit/exportable.h"

#include <QWidget>

class QLabel;

namespace nestwright::ui {

class LatencyHistogram;
class RecordFigures;

class RecordStatisticsView : public QWidget {
  Q_OBJECT
 public:
  explicit RecordStatisticsView(RecordFigures& figures, QWidget* parent = nullptr);
  LatencyHistogram* histogram() const { return histogram_; }
  /// All figures as text, a line each, as it is copied.
  QString text() const;
  /// The figures as rows of name and value.
  ExportTable table() const;

 Q_SIGNALS:
  /// An error kind was clicked, as a word of the filter's language: "run-error".
  void errorChosen(const QString& word);

 private:
  void refresh();

  RecordFigures& figures_;
  LatencyHistogram* histogram_;
  QLabel *title_, *figuresText_;
};

} // namespace nestwright::ui
