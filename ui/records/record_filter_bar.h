#pragma once
/// \file Where the filter of the records is written: the line, what is wrong with it, and a chip
/// for each condition, which a click removes.

#include "core/record/rows/record_filter.h"
#include "ui/records/filter_completion.h"

#include <QTimer>
#include <QWidget>

#include <functional>

class QLabel;
class QToolButton;

namespace nestwright::ui {

class FlowLayout;
class FilterLine;

class RecordFilterBar : public QWidget {
  Q_OBJECT
 public:
  explicit RecordFilterBar(QWidget* parent = nullptr);
  const RecordFilter& filter() const { return filter_; }
  /// Shows a filter that comes from elsewhere; says nothing.
  void setFilter(const RecordFilter& filter);
  void setVocabulary(std::function<FilterVocabulary()> vocabulary);
  FilterLine* line() const { return line_; }
  /// Puts a button at the right of the line.
  void addButton(QToolButton* button);
  /// What stands before the chips: how many records there are.
  void setCount(const QString& text);
  QString count() const;
  /// What is wrong with the text, or empty.
  QString problem() const;
  std::vector<QToolButton*> chips() const { return chips_; }

 Q_SIGNALS:
  /// The user wants another filter; it is not shown in the chips before setFilter().
  void filterEdited(const nestwright::RecordFilter& filter);

 private:
  /// Takes the text as the filter when it is one. A word that is still being written is no mistake
  /// unless `ended`.
  void apply(bool ended);
  void showProblem(const FilterError& error);
  void showChips();
  void remove(std::size_t condition);
  void restyle();

  RecordFilter filter_;
  FilterLine* line_;
  FlowLayout* row_;
  QLabel *problem_, *count_;
  QWidget* chipRow_;
  std::vector<QToolButton*> chips_;
  QTimer pause_;
};

} // namespace nestwright::ui
