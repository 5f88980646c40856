#pragma once
/// \file The line in which a record filter is written, with what can come next in a list below it:
/// Down and Up choose, Tab or Return takes, Escape closes it.

#include "ui/records/filter_completion.h"

#include <QLineEdit>

#include <functional>
#include <utility>

class QListView;
class QStandardItemModel;

namespace nestwright::ui {

class FilterLine : public QLineEdit {
  Q_OBJECT
 public:
  explicit FilterLine(QWidget* parent = nullptr);
  ~FilterLine() override;
  /// Asked whenever something is offered.
  void setVocabulary(std::function<FilterVocabulary()> vocabulary) {
    vocabulary_ = std::move(vocabulary);
  }
  /// What is offered now; empty when the list is closed.
  const std::vector<FilterSuggestion>& offered() const { return offered_; }
  /// Opens the list for the word at the cursor.
  void offer();
  void closeList();

 Q_SIGNALS:
  /// Return was pressed, and it was not to take a suggestion.
  void committed();
  /// A suggestion was taken.
  void completed();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void take(int row);
  bool handleListKey(QKeyEvent* event);
  void placeList();

  std::function<FilterVocabulary()> vocabulary_ = [] { return FilterVocabulary(); };
  std::vector<FilterSuggestion> offered_;
  QListView* list_;
  QStandardItemModel* model_;
};

} // namespace nestwright::ui
