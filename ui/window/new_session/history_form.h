#pragma once
/// \file The documents whose measurements a new session's cost model learns from first, and what
/// they teach of which tasks.

#include "core/session/run/search_survey.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace nestwright::ui {

class HistoryForm : public QWidget {
  Q_OBJECT
 public:
  explicit HistoryForm(QWidget* parent = nullptr);

  /// Without saying that it was edited.
  void show(const SessionConfig& config);
  /// Puts what the field says into the settings.
  void read(SessionConfig& config) const;
  /// Why no session can begin with them, as far as it was found out; empty when one can.
  QString problem(const std::optional<SearchSurvey>& survey) const;
  /// Says what is wrong, or which tasks begin with how much. A field that the search takes no
  /// notice of cannot be set, but what is there can be taken out.
  void tell(const std::optional<SearchSurvey>& survey, bool isAsked);

 Q_SIGNALS:
  void edited();

 private:
  QStringList files() const;
  void chooseFiles();
  void restyle();

  QLineEdit* files_;
  QPushButton* browse_;
  QLabel *problem_, *note_;
};

} // namespace nestwright::ui
