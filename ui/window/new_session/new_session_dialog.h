#pragma once
/// \file What to tune, how long, and into which file. Every field says at once what is wrong with
/// it.

#include "core/session/run/session.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/new_session/target_form.h"

#include <QDialog>

#include <functional>
#include <utility>

class QCheckBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace nestwright {
struct PreviewWish;
} // namespace nestwright

namespace nestwright::ui {

class DocumentForm;
class EffortForm;
class MakingNote;
class MemoryForm;
class ObjectiveForm;
class PlaceForm;
class SearchForm;
class SubjectChoice;

class NewSessionDialog : public QDialog {
  Q_OBJECT
 public:
  explicit NewSessionDialog(Catalogue catalogue, QWidget* parent = nullptr,
                            TargetForm::Survey survey = surveyTarget);

  SessionConfig config() const;
  QString path() const;
  bool startNow() const;
  void setStart(bool start);
  /// Shows this network, operator or file as the choice.
  void setSubject(const QString& subject);
  void setPath(const QString& path);
  /// The document that is open: its records are asked what they know of the tasks, beside the one
  /// that the session is saved to, and it is offered as a memory.
  void setOpenDocument(const QString& document);
  /// Shows the settings of another session.
  void setConfig(const SessionConfig& config);

  /// What is being tuned in the window behind the dialog, in a sentence: the new session then goes
  /// into a window of its own, unless the user lets that one pause. Empty: nothing is.
  void setRunning(const QString& text);
  bool inOwnWindow() const;

  /// To be called when the session is made, with an empty text, or with why it could not be.
  using Made = std::function<void(const QString& problem)>;
  /// Makes the session that the dialog describes. The dialog ends when that has succeeded; else it
  /// says what is wrong, with all its fields as they were.
  void setMaker(std::function<void(const Made&)> maker) { maker_ = std::move(maker); }

  /// Says why the session could not be made, until a field is changed.
  void showProblem(const QString& problem);

  /// Empty when the dialog can be accepted, else what has to be done.
  QString problem() const;

 public Q_SLOTS:
  /// Makes the session, and remembers the trained model that was chosen.
  void accept() override;

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* buildBudget(TargetForm::Survey survey);
  /// Makes the dialog as high as its fields, as far as the screen allows.
  void showAllFields();
  void setMaking(bool making);
  void made(const QString& problem);
  void followSubjects();
  /// Of a GPU some settings are other ones, or have no meaning.
  void followTarget();
  void followSearch();
  /// The effort, or what belongs to it, is another one.
  void followEffort();
  /// As nobody set them by hand.
  void showTrials(std::int64_t trials);
  int measuringThreads() const;
  /// All but the subjects.
  PreviewWish previewWish() const;
  void validate();

  QWidget* fields_; // all but what is below them
  SubjectChoice* subjects_;
  EffortForm* effort_;
  MemoryForm* memory_;
  TargetForm* target_;
  QSpinBox *trials_, *seed_, *threads_;
  int givenThreads_ = 0; // of another session's settings
  ObjectiveForm* objective_;
  QLabel* objectiveProblem_;
  SearchForm* search_; // with what no field shows, as it was given
  DocumentForm* document_;
  QString openDocument_;
  QCheckBox* start_;
  QPushButton* accept_;
  PlaceForm* place_;
  MakingNote* making_;
  bool following_ = false; // the effort, which other fields say then
  std::function<void(const Made&)> maker_;
};

} // namespace nestwright::ui
