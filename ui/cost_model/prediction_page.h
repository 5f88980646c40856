#pragma once
/// \file What the model expected of a round's programs against what was measured: in words, as a
/// plot, and the worst surprises as a table.

#include "core/story/predictions.h"
#include "core/support/row_id.h"
#include "ui/cost_model/noted_page.h"
#include "ui/document/filtered_records.h"

class QTableView;

namespace nestwright::ui {

class Document;
class PredictionPlot;
class RoundBar;
class SortedRows;
class SurpriseModel;

class PredictionPage : public NotedPage {
  Q_OBJECT
 public:
  PredictionPage(const Document& document, const RoundBar& rounds, QWidget* parent);

  PredictionPlot* plot() const { return plot_; }
  SurpriseModel* surprises() const { return surprises_; }
  QTableView* surpriseTable() const { return table_; }
  /// Programs of records that are not listed are drawn faintly by the next show().
  void setListed(const FilteredRecords& listed) { listed_ = listed; }
  /// The bar's rounds, of one task or of all (0). `empty`: why there are no predictions.
  void show(const Predictions& predictions, RowId task, const QString& empty);
  /// What is said of the round, or why there is nothing to say.
  QString summary() const;

 Q_SIGNALS:
  void picked(nestwright::RowId record);

 private:
  void restyle();
  void setUpSurprises();
  QString wordsOn(const std::vector<const PredictedProgram*>& programs) const;
  QString wordsOnListed(const std::vector<const PredictedProgram*>& programs) const;

  const Document& document_;
  const RoundBar& rounds_;
  PredictionPlot* plot_;
  SurpriseModel* surprises_;
  SortedRows* sorted_;
  QTableView* table_;
  QLabel* title_;
  FilteredRecords listed_;
  QString empty_;
};

} // namespace nestwright::ui
