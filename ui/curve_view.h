#pragma once
/// \file The tuning curves with the choices above them.

#include "ui/curve_data.h"

#include <QWidget>

class QComboBox;
class QToolButton;

namespace nestwright::ui {

class CurvePlot;
class Document;

class CurveView : public QWidget {
  Q_OBJECT
 public:
  explicit CurveView(Document& document, QWidget* parent = nullptr);
  CurvePlot* plot() const { return plot_; }
  void setOptions(const CurveOptions& options);

 private:
  void readControls();
  void askExport();
  QToolButton* toggle(const QString& text, const QString& tip);

  CurvePlot* plot_;
  QComboBox *x_, *y_;
  QToolButton *log_, *tasks_, *trials_, *all_;
};

} // namespace nestwright::ui
