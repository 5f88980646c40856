#pragma once
/// \file The generations of the evolutionary search, round by round: the population by predicted
/// score, and of a chosen program how it came to be, its ancestors and its loop nest.

#include "core/story/evolved_round.h"
#include "ui/kit/exportable.h"
#include "ui/program/program_family.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QStackedWidget;
class QTreeView;

namespace nestwright::ui {

class Document;
class FamilyModel;
class GenerationPlot;

class GenerationsView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  explicit GenerationsView(Document& document, QWidget* parent = nullptr);

  GenerationPlot* plot() const { return plot_; }
  QSlider* rounds() const { return roundSlider_; }
  QSlider* generations() const { return generationSlider_; }
  FamilyModel* family() const { return family_; }
  NestPane* nest() const { return nest_; }
  NestPane* parentNest() const { return parentNest_; }
  QString details() const;
  /// Round of the session that is shown; 0 for none.
  int round() const;
  const EvolvedRoundData& data() const { return data_; }
  /// Shows the program of this index in the round, with its family, and selects its record.
  void choose(int program);
  Exports exports() override;

 Q_SIGNALS:
  void roundShown();
  void familyShown();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeControls();
  QWidget* makeDetails();
  void reload();
  void takeRounds(std::vector<EvolvedRound> rounds);
  void showRound();
  void takeRound(EvolvedRoundData data);
  void showGeneration();
  void showProgram(int program);
  void showFamily(const std::string& program, RowId record);
  void takeFamily(FamilyData family, RowId record);
  void followRecord();
  void showNothing(const QString& why);
  QString describe(int program) const;

  Document& document_;
  QStackedWidget* pages_;
  QLabel *nothing_, *roundLabel_, *generationLabel_, *details_, *comparing_;
  QSlider *roundSlider_, *generationSlider_;
  QComboBox* layouts_;
  GenerationPlot* plot_;
  FamilyModel* family_;
  QTreeView* familyTree_;
  NestPane *nest_, *parentNest_;
  std::vector<EvolvedRound> rounds_;
  EvolvedRoundData data_;
  std::string pinned_; // program that the chosen one is compared with; empty: its first parent
  NestText pinnedNest_, shownNest_;
  std::string shownProgram_;
  RowId task_ = 0, session_ = 0;
  RowId followedRecord_ = 0;
};

} // namespace nestwright::ui
