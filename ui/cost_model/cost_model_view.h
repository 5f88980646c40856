#pragma once
/// \file How good the session's cost model is: what it predicted against what was measured, its
/// ranking over the rounds, what it looks at, and why it gave the selected program its score.

#include "core/support/row_id.h"
#include "ui/cost_model/model_reader.h"
#include "ui/cost_model/prediction_history.h"
#include "ui/cost_model/score_story.h"
#include "ui/document/filtered_records.h"
#include "ui/document/reading/connection_cache.h"
#include "ui/document/reading/course_reader.h"
#include "ui/kit/background.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"

#include <QWidget>

#include <vector>

class QTabWidget;

namespace nestwright::ui {

class Document;
class ExplanationPage;
class ImportancePage;
class LearningPage;
class PredictionPage;
class PredictionPlot;
class QualityPlot;
class RoundBar;
class WaterfallPlot;

class CostModelView : public QWidget,
                      public ExportableView,
                      public StatefulView,
                      public PaletteSource {
  Q_OBJECT
 public:
  enum class Page : std::uint8_t { Predictions, Ranking, Features, Explanation, Learning };

  explicit CostModelView(Document& document, QWidget* parent = nullptr);

  RoundBar& rounds() const { return *rounds_; }
  PredictionPage& predictions() const { return *predictions_; }
  PredictionPlot* predictionPlot() const;
  QualityPlot* qualityPlot() const { return qualityPlot_; }
  ImportancePage& importance() const { return *importance_; }
  ExplanationPage& explanation() const { return *explanation_; }
  WaterfallPlot* waterfall() const;
  LearningPage& learning() const { return *learning_; }
  const PredictionHistory& history() const { return history_; }
  /// Programs of records that are not listed are drawn faintly from now on.
  void setListed(const FilteredRecords& listed);
  void showPage(Page page);
  Page page() const;

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;
  std::vector<PaletteItem> paletteItems(const QString& text) override;

 Q_SIGNALS:
  /// A program's score was taken apart; its record is 0 where there is none any more.
  void explained(const nestwright::ui::ScoreStory& score);
  /// A step of the explained program was clicked.
  void stepPicked(RowId record, int step);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void refresh();
  void refreshRanking();
  void refreshLearning();
  void followSelection();
  void pick(RowId record);
  void showModel();
  /// Why there are no predictions, and what to do.
  QString emptyText() const;
  /// The task whose rounds are shown; 0 for all.
  RowId scope() const;

  Document& document_;
  PredictionHistory history_;
  ModelReader model_;
  CourseReader course_;
  RoundBar* rounds_;
  QTabWidget* pages_;
  PredictionPage* predictions_;
  QualityPlot* qualityPlot_;
  ImportancePage* importance_;
  ExplanationPage* explanation_;
  LearningPage* learning_;
  std::vector<RoundQuality> quality_;
};

} // namespace nestwright::ui
