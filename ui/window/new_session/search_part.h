#pragma once
/// \file A part of how a new session searches that has several fields: who measures, what is
/// learned from, what is measured first. Below them it says what is wrong, or what was found out.

#include "core/session/run/search_survey.h"

#include <QWidget>

#include <optional>

class QHBoxLayout;
class QLabel;

namespace nestwright::ui {

class SearchPart : public QWidget {
  Q_OBJECT
 public:
  /// Without saying that it was edited.
  virtual void show(const SessionConfig& config) = 0;
  /// Puts what the fields say into the settings.
  virtual void read(SessionConfig& config) const = 0;
  /// Why no session can begin so, as far as it was found out; empty when one can.
  virtual QString problem(const std::optional<SearchSurvey>& survey) const = 0;
  /// Says what is wrong, or what was found out.
  void tell(const std::optional<SearchSurvey>& survey);

  QLabel* note() const { return note_; }

 Q_SIGNALS:
  void edited();

 protected:
  explicit SearchPart(QWidget* parent);
  /// Where the fields go.
  QHBoxLayout* row() const { return row_; }
  /// What the survey says of what the fields name; empty: nothing.
  virtual QString found(const SearchSurvey& survey) const = 0;

 private:
  void restyle();

  QHBoxLayout* row_;
  QLabel *problem_, *note_;
};

} // namespace nestwright::ui
