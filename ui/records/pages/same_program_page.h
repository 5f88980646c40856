#pragma once
/// \file All measurements of the selected record's program, on whatever target and in whatever
/// session, side by side.

#include "ui/kit/exportable.h"
#include "ui/kit/table/column_model.h"
#include "ui/records/record_asking.h"

#include <QWidget>

class QTableView;

namespace nestwright::ui {

class Document;

class TwinModel : public TableModel<ProgramTwin> {
  Q_OBJECT
 public:
  enum Column { Target, Session, Record, Trial, Latency, Ratio, Outcome, ColumnCount };

  explicit TwinModel(QObject* parent = nullptr);
  void setTwins(std::vector<ProgramTwin> twins, RowId of);
  const std::vector<ProgramTwin>& twins() const { return rows(); }
  /// The row of the record that is compared with, or -1.
  int ownRow() const;

 private:
  double ratio(const ProgramTwin& twin) const;
  Columns columns() const;
  QVariant rowData(const ProgramTwin& twin, int role) const override;

  RowId of_ = 0;
  double own_ = 0, slowest_ = 0; // seconds
};

class SameProgramPage : public QWidget {
  Q_OBJECT
 public:
  explicit SameProgramPage(Document& document, QWidget* parent = nullptr);
  QTableView* table() const { return table_; }
  TwinModel* model() const { return model_; }
  AskingNote* note() const { return note_; }
  Exports exports() const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void read();
  void take(std::vector<ProgramTwin> twins);

  Document& document_;
  QTableView* table_;
  TwinModel* model_;
  AskingNote* note_;
  RowId shown_ = 0; // the record that the rows are of
  bool stale_ = true;
  RecordAsking asking_; // last: its work is waited for first
};

} // namespace nestwright::ui
