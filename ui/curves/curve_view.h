#pragma once
/// \file The tuning curves with the choices above them.

#include "core/story/curve_data.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QMenu;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace nestwright::ui {

class CurvePlot;
class Document;
class TaskCurves;

class CurveView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  explicit CurveView(Document& document, QWidget* parent = nullptr);
  CurvePlot* plot() const { return plot_; }
  /// A small chart for each task, in place of the one for all.
  TaskCurves* taskCurves() const { return each_; }
  QToolButton* eachButton() const { return showEach_; }
  void setOptions(const CurveOptions& options);

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

 private:
  void readControls();
  void buildCharts();
  QToolButton* buildCompare();
  void fillCompare(QMenu* menu);
  void askValue();
  void readCompared();

  Document& document_;
  CurvePlot* plot_;
  TaskCurves* each_;
  QStackedWidget* charts_;
  QLabel* note_; // what the filter of the records lists
  QComboBox *x_, *y_;
  QToolButton *progress_, *log_, *tasks_, *trials_, *references_, *all_, *showEach_;
  std::vector<RowId> compared_; // sessions that lie over this one
};

} // namespace nestwright::ui
