#pragma once
/// \file The features of one program or two, to be searched and narrowed to those that differ.

#include <QWidget>

class QLabel;
class QLineEdit;
class QTableView;
class QToolButton;

namespace nestwright {
struct ProgramFeatures;
}

namespace nestwright::ui {

class FeatureModel;
class SortedRows;

/// The features as text: a line for each, tab-separated, with headers.
QString featureText(const ProgramFeatures& features);

class FeaturePage : public QWidget {
  Q_OBJECT
 public:
  explicit FeaturePage(QWidget* parent = nullptr);
  void show(const ProgramFeatures& features);
  void show(const ProgramFeatures& a, const ProgramFeatures& b);
  void showProblem(const QString& why);

  FeatureModel* model() const { return model_; }
  QTableView* table() const { return table_; }

 private:
  void fit();

  FeatureModel* model_;
  SortedRows* rows_;
  QLineEdit* search_;
  QToolButton* different_;
  QLabel* summary_;
  QTableView* table_;
};

} // namespace nestwright::ui
