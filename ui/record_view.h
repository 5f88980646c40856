#pragma once
/// \file The records: filter line, table, details.

#include <QWidget>

#include <cstdint>
#include <vector>

class QComboBox;
class QLabel;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class RecordDetails;
class RecordModel;

class RecordView : public QWidget {
  Q_OBJECT
 public:
  explicit RecordView(Document& document, QWidget* parent = nullptr);
  RecordModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  /// The records of the selected rows.
  std::vector<std::int64_t> selectedRecords() const;
  RecordDetails* details() const { return details_; }

 private:
  void buildFilterLine(class QHBoxLayout* line);
  void buildTable();
  void applyFilter();
  void followSelection();
  void describe();

  Document& document_;
  RecordModel* model_;
  QComboBox *order_, *verdict_;
  QToolButton* follow_;
  QLabel* count_;
  QTableView* table_;
  RecordDetails* details_;
};

} // namespace nestwright::ui
