#pragma once
/// \file All measured programs of the selected task: its template's knobs, or the decisions of its
/// sketches with their importance, as parallel coordinates, and what is selected of them as a
/// filter of the records.

#include "core/record/rows/record_filter.h"
#include "ui/document/filtered_records.h"
#include "ui/kit/exportable.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;

namespace nestwright::ui {

class Document;
class KnobPlot;
class KnobReader;

class ConfigurationsView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  /// A filter of more ranges of records than this is none that the file can be asked for.
  static constexpr std::size_t kMostRanges = 500;

  /// The reader outlives it.
  ConfigurationsView(Document& document, KnobReader& reader, QWidget* parent = nullptr);

  KnobPlot* plot() const { return plot_; }
  QPushButton* release() const { return release_; }
  /// Of sketches that have more decisions than can be told apart.
  QCheckBox* all() const { return all_; }
  /// What is said above the plot.
  QString note() const;
  /// Configurations of records that are not listed are drawn faintly from now on.
  void setListed(const FilteredRecords& listed);
  Exports exports() override;

 Q_SIGNALS:
  /// Only these records are wanted.
  void brushed(const std::vector<FilterCondition>& conditions);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  void followRecord();
  void refreshNote();
  /// What the lines are: how many, of which template, across which decisions.
  QString subjectInWords() const;
  /// "tile_y from [-1, 4] to [-1, 16] and throughput from 50 % to 100 %".
  QString brushesInWords() const;
  void tellBrushed();

  Document& document_;
  KnobReader& reader_;
  FilteredRecords listed_;
  QString tooMany_; // why the records are not filtered
  QLabel* note_;
  QPushButton* release_;
  QCheckBox* all_;
  KnobPlot* plot_;
};

} // namespace nestwright::ui
