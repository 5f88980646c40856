#pragma once
/// \file Who measures in a new session: this machine, or a recorded file that answers in its place.

#include "ui/window/new_session/search_part.h"

class QComboBox;
class QLineEdit;
class QPushButton;

namespace nestwright::ui {

class MachineForm : public SearchPart {
  Q_OBJECT
 public:
  explicit MachineForm(QWidget* parent = nullptr);

  void show(const SessionConfig& config) override;
  void read(SessionConfig& config) const override;
  QString problem(const std::optional<SearchSurvey>& survey) const override;

 protected:
  QString found(const SearchSurvey& survey) const override;

 private:
  bool isRecorded() const;
  QString path() const;
  void offerFile();
  void chooseFile();

  QComboBox* machine_;
  QLineEdit* file_;
  QPushButton* browse_;
};

} // namespace nestwright::ui
