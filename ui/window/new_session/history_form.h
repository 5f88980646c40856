#pragma once
/// \file The documents whose measurements a new session's cost model learns from first, and what
/// they teach of which tasks.

#include "ui/window/new_session/search_part.h"

class QLineEdit;
class QPushButton;

namespace nestwright::ui {

class HistoryForm : public SearchPart {
  Q_OBJECT
 public:
  explicit HistoryForm(QWidget* parent = nullptr);

  void show(const SessionConfig& config) override;
  void read(SessionConfig& config) const override;
  QString problem(const std::optional<SearchSurvey>& survey) const override;
  /// Where the search takes no notice of it it cannot be set, but what is there can be taken out.
  void offer(bool isAsked);

 protected:
  QString found(const SearchSurvey& survey) const override;

 private:
  QStringList files() const;
  void chooseFiles();

  QLineEdit* files_;
  QPushButton* browse_;
};

} // namespace nestwright::ui
