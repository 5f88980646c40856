#pragma once
/// \file The programs that a new session measures first: their file, and which of them it can take.

#include "ui/window/new_session/search_part.h"

class QLineEdit;

namespace nestwright::ui {

class SeedsForm : public SearchPart {
  Q_OBJECT
 public:
  explicit SeedsForm(QWidget* parent = nullptr);

  void show(const SessionConfig& config) override;
  void read(SessionConfig& config) const override;
  QString problem(const std::optional<SearchSurvey>& survey) const override;

 protected:
  QString found(const SearchSurvey& survey) const override;

 private:
  QString path() const;
  void chooseFile();

  QLineEdit* file_;
};

} // namespace nestwright::ui
