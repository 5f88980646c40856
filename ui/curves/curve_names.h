#pragma once
/// \file What is written among the tuning curves: the names of the total and of the selected task
/// at the ends of their lines, and the naive programs' times as lines with a caption.

#include "ui/charts/plot_labels.h"
#include "ui/curves/curve_lines.h"

#include <QString>

namespace nestwright::ui {

class CurveFocus;

class CurveNames {
 public:
  CurveNames(QCustomPlot& plot, PlotLabels& labels, Document& document);
  void restyle();
  /// Takes what the document and the options say now; the axes have their ranges.
  void refresh(const CurveOptions& options, const CurveLines& lines, const CurveFocus& focus);
  /// What is written at the line that is looked at: "total  17.0 ms · −14 % since trial 80"; empty
  /// where there is none.
  QString textOf(const CurveFocus& focus) const;

 private:
  struct Reference {
    QCPItemStraightLine* line;
    QCPItemText* label;
  };
  void writeAtEnd(QCPItemText* label, const QCPGraph* line, const QString& text);
  void placeAtEnd(QCPItemText* label, const QCPGraph& line);
  void refer(const Reference& to, double y, const QString& text, const CurveOptions& options);
  void refreshReferences(const CurveOptions& options);

  QCustomPlot& plot_;
  PlotLabels& labels_;
  Document& document_;
  Reference naiveTotal_, naiveTask_;
  QCPItemText *total_, *task_;
};

} // namespace nestwright::ui
