#pragma once
/// \file What is to race, on which tasks, and how long. The dialog says how many sessions that is
/// and about how long they take, and what keeps it from being a race, before anything is made.

#include "core/session/race/race_outlook.h"
#include "ui/kit/background.h"
#include "ui/window/new_session/target_form.h"

#include <QDialog>
#include <QStringList>

#include <optional>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace nestwright::ui {

class Document;

class NewRaceDialog : public QDialog {
  Q_OBJECT
 public:
  /// Begins with the task that is selected, on the session's target.
  explicit NewRaceDialog(const Document& document, QWidget* parent = nullptr,
                         TargetForm::Survey survey = surveyTarget);

  /// Throws UsageError for a line that names no racer.
  RaceWish wish() const;
  /// Empty when the dialog can be accepted, else what has to be done; while it is looked at, too.
  QString problem() const;
  /// What it will be, once that is known.
  const std::optional<RaceOutlook>& outlook() const { return outlook_; }

  QPlainTextEdit* tasks() const { return tasks_; }
  QPlainTextEdit* racers() const { return racers_; }
  QSpinBox* seeds() const { return seeds_; }
  QSpinBox* amount() const { return amount_; }
  QComboBox* budget() const { return budget_; }
  QLabel* note() const { return note_; }
  QPushButton* acceptButton() const { return accept_; }

 private:
  void buildTexts(QVBoxLayout* layout);
  void buildNumbers(QVBoxLayout* layout);
  void fillTasks();
  void look();
  void tell();
  void restyle();
  QString outlookText() const;
  bool isByTime() const;

  const Document& document_;
  double secondsPerTrial_; // 0: nothing tells
  std::optional<RaceOutlook> outlook_;
  QString failure_; // why it is no race
  QPlainTextEdit *tasks_, *racers_;
  QSpinBox *seeds_, *amount_, *round_, *threads_;
  QComboBox* budget_;
  TargetForm* target_;
  QLabel *note_, *problem_;
  QPushButton* accept_;
  Background looking_, filling_; // last: their answers use the others
};

} // namespace nestwright::ui
