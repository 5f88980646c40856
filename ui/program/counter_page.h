#pragma once
/// \file What the processor counts in the selected program, on request: what follows from the
/// counts, and the counts themselves, each of which is there or says why it is not.

#include "core/result/program_counts.h"
#include "ui/kit/background.h"
#include "ui/program/program_text.h"

#include <QWidget>

#include <atomic>
#include <map>
#include <memory>
#include <utility>

class QLabel;
class QStandardItemModel;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;

class CounterPage : public QWidget {
  Q_OBJECT
 public:
  enum Column { Name, Value, Note, ColumnCount };

  explicit CounterPage(Document& document, QWidget* parent);
  ~CounterPage() override;

  /// The program whose counts are wanted; those that it had are shown again.
  void show(const ProgramText& program);
  void clear();
  /// Runs the program on this machine while its processor counts.
  void count();
  void showCounts(const ProgramCounts& counts);

  bool isBusy() const { return counting_.isBusy(); }
  QString state() const;
  QToolButton* button() const { return button_; }
  QTableView* figures() const { return figureTable_; }
  QTableView* counters() const { return counterTable_; }
  QString text() const;

 private:
  QTableView* table(QStandardItemModel* model, const QString& name);
  void stop();
  void refresh();
  void refreshState();
  void fillFigures();
  void fillCounters();
  QString whyNotCount() const;
  const ProgramCounts* shown() const;

  using Key = std::pair<RowId, RowId>; // task and record

  Document& document_;
  QString file_;
  Key program_{0, 0};
  bool onGpu_ = false, isKnown_ = false;
  QString refused_;                     // why the last counting gave nothing
  std::map<Key, ProgramCounts> counts_; // while the document stays
  std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
  QLabel* state_;
  QToolButton* button_;
  QStandardItemModel *figures_, *counters_;
  QTableView *figureTable_, *counterTable_;
  Background counting_; // last: its thread ends first
};

} // namespace nestwright::ui
