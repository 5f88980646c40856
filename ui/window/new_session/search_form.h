#pragma once
/// \file How a new session searches: a method, and under it what the method sets, to be changed.
/// What does not go together is said at once, and which tasks have no template; and what a trained
/// model knows of them.

#include "core/session/run/search_survey.h"
#include "ui/kit/background.h"

#include <QGroupBox>
#include <QTimer>

#include <optional>

class QComboBox;
class QLabel;
class QToolButton;

namespace nestwright::ui {

class PretrainedForm;
class SearchFields;

class SearchForm : public QGroupBox {
  Q_OBJECT
 public:
  explicit SearchForm(QWidget* parent = nullptr);

  /// Settings of the search as the fields say; the others as they were given. An evaluator that
  /// cannot be read is left as it was.
  const SessionConfig& config() const { return config_; }
  void setConfig(const SessionConfig& config);
  /// What is to be searched, for whom: which of its tasks have templates is found out in the
  /// background. No subjects while they are not known.
  void setSubjects(const std::vector<std::string>& subjects, const std::string& target,
                   int threads);
  /// Of a GPU rules mean something else.
  void setGpu(bool isGpu);
  /// Settings that no method has are an effort's, or the person's own.
  void setByEffort(bool isByEffort);
  /// Why no session can be made so, or that it is being found out; empty when one can.
  QString problem() const;
  /// What is found out of the tasks, where it concerns the search.
  const std::optional<SearchSurvey>& survey() const { return survey_; }

  QComboBox* methods() const { return method_; }
  QToolButton* moreButton() const { return more_; }
  QLabel* note() const { return note_; }
  PretrainedForm* pretrained() const;

 Q_SIGNALS:
  void changed();
  /// A person chose a method, which is about to be shown.
  void methodChosen();

 private:
  void buildMethod();
  /// A person gave a field another value.
  void edited();
  void chooseMethod();
  void show(const SessionConfig& config);
  /// What follows from another space, policy or plan, where nobody said anything else.
  static void settle(SessionConfig& config, const SessionConfig& before);
  void ask();
  void beginSurvey();
  void refresh();
  void tell();
  void tellOfTasks();
  void restyle();
  QString mistake() const;
  QString lookingText() const;
  QString searchProblem() const;

  SessionConfig config_;
  std::string asked_; // what the survey is of
  std::optional<SearchSurvey> survey_;
  QString failure_; // of the survey
  QTimer pause_;    // before it is asked for
  QComboBox* method_;
  QToolButton* more_;
  SearchFields* fields_; // under More
  QLabel *purpose_, *note_, *searchProblem_;
  Background asking_; // last: its answer uses the others
};

} // namespace nestwright::ui
