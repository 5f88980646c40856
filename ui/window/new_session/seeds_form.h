#pragma once
/// \file The programs that a new session measures first: their file, and which of them it can take.

#include "core/session/run/search_survey.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace nestwright::ui {

class SeedsForm : public QWidget {
  Q_OBJECT
 public:
  explicit SeedsForm(QWidget* parent = nullptr);

  /// Without saying that it was edited.
  void show(const SessionConfig& config);
  /// Puts what the field says into the settings.
  void read(SessionConfig& config) const;
  /// Why no session can begin with them, as far as it was found out; empty when one can.
  QString problem(const std::optional<SearchSurvey>& survey) const;
  /// Says what is wrong, or how many are measured first and which are left out.
  void tell(const std::optional<SearchSurvey>& survey);

 Q_SIGNALS:
  void edited();

 private:
  QString path() const;
  void chooseFile();
  void restyle();

  QLineEdit* file_;
  QLabel *problem_, *note_;
};

} // namespace nestwright::ui
