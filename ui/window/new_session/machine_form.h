#pragma once
/// \file Who measures in a new session: this machine, or a recorded file that answers in its place.

#include "core/session/run/search_survey.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace nestwright::ui {

class MachineForm : public QWidget {
  Q_OBJECT
 public:
  explicit MachineForm(QWidget* parent = nullptr);

  /// Without saying that it was edited.
  void show(const SessionConfig& config);
  /// Puts what the fields say into the settings.
  void read(SessionConfig& config) const;
  /// Why the recorded file cannot answer, as far as it was found out; empty when it can.
  QString problem(const std::optional<SearchSurvey>& survey) const;
  void tell(const std::optional<SearchSurvey>& survey);

 Q_SIGNALS:
  void edited();

 private:
  bool isRecorded() const;
  QString path() const;
  void chooseFile();
  void restyle();

  QComboBox* machine_;
  QLineEdit* file_;
  QPushButton* browse_;
  QLabel* problem_;
};

} // namespace nestwright::ui
