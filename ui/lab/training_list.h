#pragma once
/// \file The trainings that are known: those of this window, and those that left a model or a
/// checkpoint behind. The newest is first.

#include "core/training/training_course.h"
#include "ui/kit/table/column_model.h"

#include <QColor>

#include <optional>

namespace nestwright::ui {

struct Training {
  QString file; // of the model, by which it is known
  ModelWish wish;
  TrainingCourse course;
  bool shown = true;   // its curves are drawn
  int colour = 0;      // of the theme's series
  bool isHere = false; // begun in this window
  bool yields = false; // while it runs: it has one thread, since a session runs
};

bool isUnderWay(const Training& training); // it runs or waits
bool canGoOn(const Training& training);
/// "mlp.nwm"
QString titleOf(const Training& training);
/// "epoch 3 of 50, 2 min 4 s left"
QString stateText(const Training& training);
/// How much of it is done; nothing where it does not run.
std::optional<double> shareDone(const Training& training);
/// Whether programs to validate with were scored after each pass.
bool hasValidation(const Training& training);
QColor colourOf(const Training& training);

class TrainingList : public TableModel<Training> {
  Q_OBJECT
 public:
  enum Column { Shown, Name, Model, State, Loss, Validation, Top1, Top5, Tested, When };
  explicit TrainingList(QObject* parent = nullptr);

  /// -1 where there is none.
  int rowOf(const QString& file) const;
  /// Puts it first, in place of one of the same file.
  void add(Training training);
  /// Behind the others, those that are not there yet.
  void addPast(std::vector<Training> trainings);
  /// Those that are there, unless they were begun here: how they stand by now.
  void bringUpToDate(const std::vector<Training>& found);
  void remove(int row);
  /// All but those that were begun here.
  void removePast();
  /// Changes one by `change`, and tells the views.
  void change(int row, const std::function<void(Training&)>& change);

  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  Columns columns() const;
  QVariant rowData(const Training& training, int role) const override;

  int colours_ = 0; // given so far
};

} // namespace nestwright::ui
