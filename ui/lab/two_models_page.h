#pragma once
/// \file Two models against each other: which two, whether they differ, and a point a task.

#include "ui/lab/judged.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace nestwright::ui {

class AgreementPlot;

class TwoModelsPage : public QWidget {
  Q_OBJECT
 public:
  explicit TwoModelsPage(QWidget* parent = nullptr);
  void showLook(const JudgedLook& look);
  /// What the models differ by, in a sentence.
  QString difference() const;

  AgreementPlot* agreement() const { return agreement_; }
  // For tests.
  QComboBox* first() const { return a_; }
  QComboBox* second() const { return b_; }

 Q_SIGNALS:
  /// Other models, by a person's hand.
  void modelsChosen(std::size_t a, std::size_t b);
  void taskPicked(int task);

 private:
  void fillModels(const Judged& judged);

  JudgedLook look_;
  QComboBox *a_, *b_;
  QLabel* difference_;
  AgreementPlot* agreement_;
};

} // namespace nestwright::ui
