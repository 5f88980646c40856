#pragma once
/// \file A free question to the document in SQL: read only, with a limit of time, the tables and
/// their columns at hand.

#include "core/record/file/free_query.h"
#include "ui/kit/background.h"
#include "ui/kit/exportable.h"

#include <QAbstractTableModel>
#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QSpinBox;
class QTableView;
class QToolButton;
class QTreeWidget;

namespace nestwright::ui {

class Document;

class SqlResultModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  struct Result {
    std::vector<std::string> columns;
    std::vector<std::vector<SqlCell>> rows;
    bool complete = true;
    double seconds = 0;
  };
  using QAbstractTableModel::QAbstractTableModel;
  void setResult(Result result);
  const Result& result() const { return result_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Result result_;
};

class SqlPage : public QWidget {
  Q_OBJECT
 public:
  /// Rows that are shown; an export has all.
  static constexpr int kMostRows = 10'000;

  explicit SqlPage(Document& document, QWidget* parent = nullptr);
  QPlainTextEdit* editor() const { return editor_; }
  QTableView* table() const { return table_; }
  SqlResultModel* model() const { return model_; }
  QTreeWidget* schema() const { return schema_; }
  QToolButton* runButton() const { return run_; }
  QSpinBox* limit() const { return limit_; }
  /// What is said of the last question: how many rows, or what is wrong.
  QString note() const;
  QString text() const;
  void setText(const QString& sql);
  void run();
  Exports exports() const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void build();
  void stop();
  void take(const QString& sql, SqlResultModel::Result result);
  void refuse(const QString& why);
  void readSchema();
  void fillSchema(const std::vector<FreeTable>& tables);
  void restyle();

  Document& document_;
  QPlainTextEdit* editor_;
  QComboBox* examples_;
  QSpinBox* limit_;
  QToolButton* run_;
  QLabel* note_;
  QTreeWidget* schema_;
  QTableView* table_;
  SqlResultModel* model_;
  QString asked_;    // the text that the rows are of
  QString schemaOf_; // path of the file whose tables are listed
  bool failed_ = false;
  Background reading_, describing_; // last: their work is waited for first
};

} // namespace nestwright::ui
