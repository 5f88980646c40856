#pragma once
/// \file The trained model that a new session begins with: its file, what becomes of it, and what
/// it knows of the tasks.

#include "ui/window/new_session/search_part.h"

class QCheckBox;
class QComboBox;
class QPushButton;

namespace nestwright::ui {

class PretrainedForm : public SearchPart {
  Q_OBJECT
 public:
  explicit PretrainedForm(QWidget* parent = nullptr);

  void show(const SessionConfig& config) override;
  void read(SessionConfig& config) const override;
  QString problem(const std::optional<SearchSurvey>& survey) const override;
  /// Where the search takes no notice of it it cannot be set, but what is there can be taken out.
  void offer(bool isAsked);

  QCheckBox* perTask() const { return perTask_; }

 protected:
  QString found(const SearchSurvey& survey) const override;

 private:
  QString path() const;
  void chooseFile();

  QComboBox *file_, *update_;
  QPushButton* browse_;
  QCheckBox* perTask_;
};

} // namespace nestwright::ui
