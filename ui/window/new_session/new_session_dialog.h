#pragma once
/// \file What to tune, how long, and into which file. Every field says at once what is wrong with
/// it.

#include "core/session/insight/subject_preview.h"
#include "core/session/run/session.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/new_session/target_form.h"

#include <QDialog>

#include <functional>
#include <utility>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QSpinBox;
class QStackedWidget;

namespace nestwright::ui {

class ObjectiveForm;
class PreviewForm;
class SearchForm;
class SubjectForm;

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
  /// The document whose records are asked what they know of the tasks, beside the one that the
  /// session is saved to.
  void setMemory(const QString& document);
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
  enum Kind { Network, File, Operator };
  /// Makes the dialog as high as its fields, as far as the screen allows.
  void showAllFields();
  QWidget* buildSubject();
  QWidget* buildFilePage();
  QWidget* buildBudget(TargetForm::Survey survey);
  QWidget* buildDocument();
  QWidget* buildPlace();
  QWidget* buildMaking();
  void setMaking(bool making);
  void made(const QString& problem);
  /// Of a GPU some settings are other ones, or have no meaning.
  void followTarget();
  void followSearch();
  void setKind(Kind kind);
  Kind kind() const;
  QString subject() const;
  /// The choice and what is tuned together with it.
  std::vector<std::string> subjects() const;
  QString subjectProblem() const;
  QString furtherProblem() const;
  /// What is wrong with the fields that say what to tune.
  QString fieldsProblem() const;
  QString pathProblem() const;
  int measuringThreads() const;
  PreviewWish previewWish() const;
  void suggestPath();
  void validate();

  Catalogue catalogue_;
  QRadioButton* kinds_[3];
  QWidget* fields_; // all but the row of buttons
  QStackedWidget* pages_;
  SubjectForm *network_, *operator_;
  QLineEdit *model_, *further_, *path_ = nullptr;
  TargetForm* target_;
  SearchForm* search_; // with what no field shows, as it was given
  ObjectiveForm* objective_;
  PreviewForm* preview_;
  QString memory_;
  QSpinBox *trials_, *seed_, *threads_;
  int givenThreads_ = 0; // of another session's settings
  QCheckBox* start_;
  QLabel *subjectProblem_, *objectiveProblem_, *pathProblem_, *pathNote_;
  std::function<void(const Made&)> maker_;
  QWidget *place_, *making_;
  QLabel *running_, *makingProblem_;
  QRadioButton *ownWindow_, *here_;
  QPushButton* accept_ = nullptr; // made last
  bool pathIsOurs_ = true;        // until the user names a file
};

} // namespace nestwright::ui
