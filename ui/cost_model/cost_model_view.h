#pragma once
/// \file How good the session's cost model is: what it predicted against what was measured, its
/// ranking over the rounds, what it looks at, and why it gave the selected program its score.

#include "ui/cost_model/prediction_history.h"
#include "ui/cost_model/score_story.h"
#include "ui/document/connection_cache.h"
#include "ui/document/listed_records.h"
#include "ui/kit/background.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"

#include <QTimer>
#include <QWidget>

#include <array>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QTabWidget;
class QToolButton;

namespace nestwright::ui {

class Document;
class ImportanceModel;
class PredictionPlot;
class QualityPlot;
class SurpriseModel;
class WaterfallPlot;

class CostModelView : public QWidget,
                      public ExportableView,
                      public StatefulView,
                      public PaletteSource {
  Q_OBJECT
 public:
  /// Choices of how many best programs count.
  static constexpr std::array<std::size_t, 4> kBestCounts{1, 4, 8, 16};

  enum class Page : std::uint8_t { Predictions, Ranking, Features, Explanation };

  explicit CostModelView(Document& document, QWidget* parent = nullptr);

  PredictionPlot* predictionPlot() const { return predictionPlot_; }
  /// Programs of records that are not listed are drawn faintly from now on.
  void setListed(const ListedRecords& listed);
  QualityPlot* qualityPlot() const { return qualityPlot_; }
  WaterfallPlot* waterfall() const { return waterfall_; }
  SurpriseModel* surprises() const { return surprises_; }
  QTableView* surpriseTable() const { return surpriseTable_; }
  ImportanceModel* importance() const { return importance_; }
  const PredictionHistory& history() const { return history_; }
  void showPage(Page page);
  Page page() const;
  /// Programs of all tasks, or of the selected one.
  void setAllTasks(bool all);
  /// The round that is shown; 0 while there is none.
  int round() const { return round_; }
  void showRound(int round);
  /// What is said of the round in words, or why there is nothing to show.
  QString summary() const;
  /// What is said of the model and of the explanation.
  QString modelNote() const;

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;
  std::vector<PaletteItem> paletteItems(const QString& text) override;

 Q_SIGNALS:
  /// The model was read and asked anew.
  void modelShown();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* toolBar();
  QWidget* predictionPage();
  QWidget* featurePage();
  QWidget* explanationPage();
  QLabel* note();
  void restyle();
  void refresh();
  void refreshRound(const std::vector<int>& rounds);
  void refreshRanking(const std::vector<int>& rounds);
  void followSelection();
  void pick(RowId record);
  void scheduleModel();
  void askModel();
  void takeModel(ModelStory story);
  /// Why there are no predictions, and what to do.
  QString emptyText() const;
  /// The record whose score is explained: the selected one, or the task's best.
  RowId explained() const;
  RowId scope() const;
  std::size_t bestCount() const;
  QString taskName(RowId task) const;
  ExportTable predictionTable() const;
  ExportTable rankingTable() const;
  ExportTable partsTable() const;

  Document& document_;
  PredictionHistory history_;
  QTabWidget* pages_;
  QWidget* bar_;
  RowId explained_ = 0; // what was asked for
  QComboBox *before_, *best_, *layouts_;
  QToolButton *allTasks_, *back_, *forward_, *newest_;
  QLabel *place_, *summary_, *modelNote_, *scoreNote_;
  PredictionPlot* predictionPlot_;
  QualityPlot* qualityPlot_;
  WaterfallPlot* waterfall_;
  SurpriseModel* surprises_;
  QSortFilterProxyModel* sortedSurprises_;
  QTableView* surpriseTable_;
  ImportanceModel* importance_;
  QTableView* importanceTable_;
  std::vector<RoundQuality> quality_;
  ModelStory model_;
  ListedRecords listed_;
  bool followsNewest_ = true, modelStale_ = true;
  int round_ = 0;
  QTimer modelTimer_;
  std::shared_ptr<StoreCache> store_ = std::make_shared<StoreCache>();
  Background background_; // last: its work is waited for first
};

} // namespace nestwright::ui
