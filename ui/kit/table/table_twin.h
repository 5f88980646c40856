#pragma once
/// \file The numbers that a view shows, as tables in a window of their own: for those who read
/// rather than look, and to sort and copy. They stand still until they are brought up to date.

#include "ui/kit/background.h"
#include "ui/kit/exportable.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QTableView;

namespace nestwright::ui {

class NumbersModel;
class SortedRows;

class TableTwin : public QDialog {
  Q_OBJECT
 public:
  /// More rows than this are for a file.
  static constexpr int kMostRows = 100'000;

  /// `ask` gives what the view shows now: here, and whenever the user wants it new.
  TableTwin(std::function<Exports()> ask, QWidget* parent);
  ~TableTwin() override;

  void bringUpToDate();
  QComboBox* which() const { return which_; }
  QTableView* table() const { return table_; }
  /// How many rows there are, or why there are none.
  QString headline() const;
  void copyAll(bool markdown);

 Q_SIGNALS:
  void recordOpened(qint64 record);

 private:
  struct Rows {
    std::vector<QStringList> rows;
    bool cut = false; // there are more
  };
  QWidget* buildBar();
  void choose(int index);
  void read();
  void take(Rows rows);
  void fitColumns();
  void openRow(const QModelIndex& index);

  std::function<Exports()> ask_;
  std::vector<NamedTable> tables_;
  QComboBox* which_;
  QLabel* headline_;
  NumbersModel* model_;
  SortedRows* sorted_;
  QTableView* table_;
  Background reading_; // last: its thread ends before the others go
};

} // namespace nestwright::ui
