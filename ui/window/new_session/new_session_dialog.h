#pragma once
/// \file What to tune, how long, and into which file. Every field says at once what is wrong with
/// it.

#include "core/session/run/session.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/new_session/target_form.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QSpinBox;
class QStackedWidget;

namespace nestwright::ui {

class ObjectiveForm;
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
  /// Shows this network, operator or file as the choice.
  void setSubject(const QString& subject);
  void setPath(const QString& path);
  /// Shows the settings of another session.
  void setConfig(const SessionConfig& config);

  /// Empty when the dialog can be accepted, else what has to be done.
  QString problem() const;

 public Q_SLOTS:
  /// Remembers the trained model that was chosen.
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
  QString pathProblem() const;
  int measuringThreads() const;
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
  QSpinBox *trials_, *seed_, *threads_;
  int givenThreads_ = 0; // of another session's settings
  QCheckBox* start_;
  QLabel *subjectProblem_, *objectiveProblem_, *pathProblem_, *pathNote_;
  QPushButton* accept_ = nullptr; // made last
  bool pathIsOurs_ = true;        // until the user names a file
};

} // namespace nestwright::ui
