#pragma once
/// \file The roofline of the selected task: what limits its programs, memory or the execution
/// units, and how far the search has come.

#include "core/story/roofline.h"
#include "ui/document/filtered_records.h"
#include "ui/document/program_ref.h"
#include "ui/document/reading/file_asking.h"
#include "ui/kit/background.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"

#include <QTimer>
#include <QWidget>

#include <map>
#include <memory>
#include <set>

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace nestwright::ui {

class Document;
class RooflinePlot;

class RooflineView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  explicit RooflineView(Document& document, QWidget* parent = nullptr);

  RooflinePlot* plot() const { return plot_; }
  QComboBox* traffic() const { return traffic_; }
  QPushButton* measureButton() const { return measure_; }
  /// Programs of records that are not listed are drawn faintly from now on.
  void setListed(const FilteredRecords& listed);
  /// Lets go of the records that were dropped here; seen when there are any.
  QToolButton* clearButton() const { return clear_; }
  /// What is said above the drawing.
  QString note() const;

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

 Q_SIGNALS:
  void programOpened();

 protected:
  void showEvent(QShowEvent* event) override;
  // Records that are dropped stay in the drawing until they are cleared.
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void restyle();
  void schedule();
  void ask();
  void take(Roofline roofline);
  void refresh();
  void showNothing(const QString& why);
  void measureBandwidth();
  QString whyNotMeasure() const;
  void nameTraffic();
  /// Bytes per second of the chosen traffic; 0 when unknown.
  double bandwidth() const;
  void pick(RowId record);
  ProgramRef refOf(RowId record) const;
  QString noteText() const;

  Document& document_;
  RooflinePlot* plot_;
  QComboBox* traffic_;
  QPushButton* measure_;
  QLabel* measured_; // what came of it, beside the button
  QLabel* note_;
  QToolButton* clear_;
  QString path_;                             // of the document
  std::map<RowId, std::set<RowId>> dragged_; // records by task
  Roofline roofline_;
  QTimer timer_;
  bool stale_ = true, measuring_ = false;
  QString measuredText_; // what came of it, for the label
  std::shared_ptr<TrafficCache> cache_ = std::make_shared<TrafficCache>();
  // Last: their work is waited for first.
  StoreAsking background_;
  Background bandwidth_;
};

} // namespace nestwright::ui
