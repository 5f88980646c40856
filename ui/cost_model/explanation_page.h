#pragma once
/// \file Why the selected program has its score: what each feature or step added and, of networks
/// with attention between steps, which steps look at which.

#include "ui/cost_model/noted_page.h"
#include "ui/cost_model/score_story.h"
#include "ui/kit/exportable.h"

class QStackedWidget;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class AttentionModel;
class WaterfallPlot;

class ExplanationPage : public NotedPage {
  Q_OBJECT
 public:
  explicit ExplanationPage(QWidget* parent);

  WaterfallPlot* waterfall() const { return waterfall_; }
  AttentionModel* attention() const { return model_; }
  QTableView* attentionTable() const { return table_; }
  /// Looks at the attention; it can be seen where the score shown has some.
  QToolButton* attentionButton() const { return button_; }
  bool showsAttention() const;

  /// `behind`: what is said behind the words on what is seen.
  void show(const ScoreStory& story, const QString& behind);
  void showMessage(const QString& message, const QString& note);
  /// What is seen: the bars or the attention.
  Exports exports();

 Q_SIGNALS:
  /// A step was clicked.
  void stepPicked(int step);

 private:
  void restyle();
  void buildTable();
  void follow();

  ScoreStory story_;
  QString behind_;
  WaterfallPlot* waterfall_;
  AttentionModel* model_;
  QTableView* table_;
  QToolButton* button_;
  QStackedWidget* stack_;
};

} // namespace nestwright::ui
