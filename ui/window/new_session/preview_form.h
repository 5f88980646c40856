#pragma once
/// \file What a new session would tune, before it is made: its tasks and their work, what of a
/// network file is not supported, what is known of the tasks, and how many trials are worth while.
/// It is read in the background.

#include "core/session/insight/subject_preview.h"
#include "ui/kit/background.h"

#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

class QLabel;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class PreviewTaskModel;

class PreviewForm : public QWidget {
  Q_OBJECT
 public:
  /// Answers in the background.
  using Survey =
      std::function<SubjectPreview(const PreviewWish& wish, const std::function<void()>& check)>;

  explicit PreviewForm(QWidget* parent = nullptr, Survey survey = previewSubjects);

  /// What is to be looked at; without subjects nothing. The same again is not read again.
  void setWish(const PreviewWish& wish);
  /// How many trials the session is to have: what these take is told, too.
  void setTrials(std::int64_t trials);

  /// Of what was wanted last, once it is known.
  const std::optional<SubjectPreview>& preview() const { return preview_; }
  /// Why the subjects cannot be tuned, with all operators that are not supported; empty while that
  /// is not known.
  QString problem() const;

  QLabel* summary() const { return summary_; }
  QLabel* advice() const { return advice_; }
  /// Takes the suggested trials.
  QToolButton* takeButton() const { return take_; }
  /// Shows and hides the tasks.
  QToolButton* tasksButton() const { return tasks_; }
  QTableView* table() const { return table_; }

 Q_SIGNALS:
  /// More is known, or nothing any more.
  void changed();
  void suggestionTaken(std::int64_t trials);

 private:
  void begin();
  void take(SubjectPreview preview);
  void tell();
  QString summaryText() const;
  QString knownText() const;
  QString adviceText() const;
  void restyle();

  Survey survey_;
  PreviewWish wish_;
  std::string asked_; // of what is being read, or was
  std::optional<SubjectPreview> preview_;
  std::int64_t trials_ = 0;
  QTimer pause_; // before it is read
  Background reading_;
  PreviewTaskModel* model_;
  QLabel *summary_, *advice_;
  QToolButton *tasks_, *take_;
  QTableView* table_;
};

} // namespace nestwright::ui
