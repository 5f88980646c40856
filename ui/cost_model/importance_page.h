#pragma once
/// \file Which features the cost model looks at, and how much each is worth to it.

#include "ui/cost_model/noted_page.h"
#include "ui/cost_model/score_story.h"

class QTableView;

namespace nestwright::ui {

class ImportanceModel;

/// What is to be said of the shares, and of a model that has none.
QString featuresNote(const ModelStory& story);

class ImportancePage : public NotedPage {
  Q_OBJECT
 public:
  explicit ImportancePage(QWidget* parent);

  ImportanceModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  /// `note`: what is said of them. Without features there is no table.
  void show(const std::vector<FeatureShare>& features, const QString& note);
  void showMessage(const QString& message);

 private:
  void restyle();

  ImportanceModel* model_;
  QTableView* table_;
};

} // namespace nestwright::ui
