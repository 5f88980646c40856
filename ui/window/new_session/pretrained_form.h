#pragma once
/// \file The trained model that a new session begins with: its file, what becomes of it, and what
/// it knows of the tasks.

#include "core/session/run/search_survey.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace nestwright::ui {

class PretrainedForm : public QWidget {
  Q_OBJECT
 public:
  explicit PretrainedForm(QWidget* parent = nullptr);

  /// Without saying that it was edited.
  void show(const SessionConfig& config);
  /// Puts what the fields say into the settings.
  void read(SessionConfig& config) const;
  /// Why no session can begin with it, as far as it was found out; empty when one can.
  QString problem(const std::optional<SearchSurvey>& survey) const;
  /// Says what is wrong, or what it knows of the tasks. Fields that the search takes no notice of
  /// cannot be set, but what is there can be taken out.
  void tell(const std::optional<SearchSurvey>& survey, bool isAsked);

  QCheckBox* perTask() const { return perTask_; }
  QLabel* knowledge() const { return knowledge_; }

 Q_SIGNALS:
  void edited();

 private:
  QString path() const;
  void chooseFile();
  void restyle();

  QComboBox *file_, *update_;
  QPushButton* browse_;
  QCheckBox* perTask_;
  QLabel *problem_, *knowledge_;
};

} // namespace nestwright::ui
