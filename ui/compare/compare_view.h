#pragma once
/// \file Two sessions side by side, of this document or of another one: is it faster, by how much,
/// is it noise, and in which task.

#include "core/session/insight/compare_sessions.h"
#include "ui/document/reading/file_asking.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QTableView;

namespace nestwright::ui {

class Document;
class SessionCompareModel;
class SortedRows;

/// A session to choose.
struct SessionChoice {
  QString file;
  RowId session = 0;
  QString title; // "Session 2 · resnet18 · 2026-11-20 23:04"
  QString name;  // what tells it from the others: "session 2", "session 1 of lastweek"
  friend bool operator==(const SessionChoice&, const SessionChoice&) = default;
};

class CompareView : public QWidget {
  Q_OBJECT
 public:
  explicit CompareView(Document& document, QWidget* parent = nullptr);
  ~CompareView() override;

  /// Offers the sessions of another file, and chooses its newest for `left` (A) or B.
  void addFile(const QString& path, bool left);
  void choose(const SessionChoice& left, const SessionChoice& right);
  const std::vector<SessionChoice>& choices() const { return choices_; }
  const SessionChoice& left() const { return left_; }
  const SessionChoice& right() const { return right_; }
  SessionCompareModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  QString total() const;
  QString note() const;
  /// Shows the two programs of this row of the table.
  void openRow(int row);

 private:
  void buildTable();
  void restyle();
  void followDocument();
  void fillBoxes();
  void chosen(int index, bool left);
  void compare();
  void show(SessionComparison comparison);
  void showNothing(const QString& why);

  Document& document_;
  std::vector<SessionChoice> choices_;
  SessionChoice left_, right_;
  QString own_; // the file whose sessions are offered without its name
  QComboBox *leftBox_, *rightBox_;
  QLabel *total_, *note_;
  SessionCompareModel* model_;
  SortedRows* rows_;
  QTableView* table_;
  QTimer again_;                             // new records arrived
  FileAsking<const RecordStore, 2> reading_; // of the left and the right one
  Background listing_;
};

} // namespace nestwright::ui
