#pragma once
/// \file The listed records as points: what stands on the axes and what colours tell is chosen
/// freely, and a range that is dragged becomes the filter.

#include "ui/kit/exportable.h"
#include "ui/records/record_asking.h"
#include "ui/records/record_listing.h"
#include "ui/records/scatter_plot.h"

#include <QTimer>
#include <QWidget>

class QComboBox;

namespace nestwright::ui {

class Document;

class RecordScatterPage : public QWidget {
  Q_OBJECT
 public:
  /// Points that are drawn; of more records an even choice.
  static constexpr int kMostPoints = 50'000;

  explicit RecordScatterPage(Document& document, QWidget* parent = nullptr);
  ScatterPlot* plot() const { return plot_; }
  QComboBox* colourChooser() const { return colour_; }
  AskingNote* note() const { return note_; }
  void setListing(const RecordListing& listing);
  /// The selected records, which are ringed.
  void setChosen(const std::vector<RowId>& records) { plot_->setChosen(records); }
  void setFacts(PointFact x, PointFact y, PointFact colour);
  PointFact x() const;
  PointFact y() const;
  PointFact colour() const;
  Exports exports() const;

 Q_SIGNALS:
  void filterEdited(const nestwright::RecordFilter& filter);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QComboBox* chooser(int facts, const QString& name, const QString& tip);
  void read();
  void describe();
  void brush(double xLow, double xHigh, double yLow, double yHigh);
  void clear();

  Document& document_;
  QComboBox *x_, *y_, *colour_;
  ScatterPlot* plot_;
  AskingNote* note_;
  RecordListing listing_;
  bool stale_ = true;
  QTimer grown_;
  RecordAsking asking_; // last: its work is waited for first
};

} // namespace nestwright::ui
