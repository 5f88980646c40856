#pragma once
/// \file The tuning curves with the choices above them.

#include "core/story/curve_data.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace nestwright::ui {

class CurvePlot;
class Document;

class CurveView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  explicit CurveView(Document& document, QWidget* parent = nullptr);
  CurvePlot* plot() const { return plot_; }
  void setOptions(const CurveOptions& options);

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

 private:
  void readControls();
  QToolButton* buildCompare();
  void fillCompare(QMenu* menu);
  void askValue();
  void readCompared();

  Document& document_;
  CurvePlot* plot_;
  QLabel* note_; // what the filter of the records lists
  QComboBox *x_, *y_;
  QToolButton *log_, *tasks_, *trials_, *references_, *all_;
  std::vector<RowId> compared_; // sessions that lie over this one
};

} // namespace nestwright::ui
