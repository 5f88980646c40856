#pragma once
/// \file A program under the hand: sizes, orders and annotations can be changed; whether that is
/// legal and what it is estimated to change is said at once; then it can be measured, or offered to
/// the search.

#include "core/story/decisions/weigh_edit.h"
#include "ui/kit/background.h"
#include "ui/program/program_text.h"

#include <QWidget>

class QLabel;
class QStandardItemModel;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class DemandWatch;

class Document;

class HandEditPage : public QWidget {
  Q_OBJECT
 public:
  explicit HandEditPage(Document& document, QWidget* parent);
  ~HandEditPage() override;

  /// Begins with this program; for the same one as before, what was changed stays.
  void show(const ProgramText& program);
  void clear();

  // Commands; each can be undone.
  void setValue(int step, const QString& value);
  void annotate(int stage, int iterator, Annotation annotation);
  void reset();
  void measure();
  void offerAsSeed();

  const Steps& steps() const { return steps_; }
  const EditOutcome& outcome() const { return outcome_; }
  bool isEdited() const { return steps_ != base_; }
  /// Weighed, legal and other than the program it began with.
  bool isReady() const;
  QString verdict() const;
  QTableView* stepTable() const { return stepTable_; }
  QTableView* loopTable() const { return loopTable_; }
  QTableView* estimateTable() const { return estimateTable_; }
  QToolButton* measureButton() const { return measure_; }
  QToolButton* seedButton() const { return seed_; }
  QToolButton* resetButton() const { return reset_; }
  bool isBusy() const { return weighing_.isBusy(); }
  /// What became of the program that was measured last.
  const DemandWatch& demand() const { return *demand_; }

 private:
  QTableView* table(QStandardItemModel* model, const QString& name);
  void change(const QString& what, Steps steps);
  void apply(const Steps& base, const Steps& steps);
  void weigh();
  void refresh();
  void refreshSteps();
  void refreshLoops();
  void refreshEstimates();
  void refreshVerdict();
  /// Beside the button: that it is being measured, or its time and what the model expected.
  QString demandText() const;
  QString whyNotMeasure() const;
  void restyle();

  Document& document_;
  QString file_;
  RowId task_ = 0;
  Steps base_, steps_;
  EditOutcome outcome_;
  std::vector<EditableStep> baseRows_;
  QString refused_; // the last value that was none
  std::shared_ptr<EditCache> cache_ = std::make_shared<EditCache>();
  DemandWatch* demand_;
  QLabel* verdict_;
  QToolButton *measure_, *seed_, *reset_;
  QStandardItemModel *stepRows_, *loopRows_, *estimates_;
  QTableView *stepTable_, *loopTable_, *estimateTable_;
  bool ofTemplate_ = false; // whose program is changed by its knobs
  bool filling_ = false, weighed_ = false, sized_ = false;
  Background weighing_; // last: its thread ends first
};

} // namespace nestwright::ui
