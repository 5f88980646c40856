#pragma once
/// \file Which candidate of which task a combination took, as a table.

#include "ui/kit/format.h"

#include <QAbstractTableModel>

namespace nestwright::ui {

class Document;
class RecombinationControl;

class RecombinationModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Task, Candidate, Alone, ToBest, Weight, Record, ColumnCount };

  RecombinationModel(Document& document, const RecombinationControl& control, QObject* parent);

  /// The sample whose combination is shown; -1: none.
  void show(int sample);
  int sample() const { return sample_; }
  /// What a row is of: its task, and the record that the combination took.
  std::int64_t taskOf(int row) const;
  std::int64_t recordOf(int row) const;
  int rowOf(std::int64_t task) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    std::int64_t task = 0, record = 0;
    QString name;
    double weight = 0, seconds = 0, bestSeconds = 0;
    int rank = 0, candidates = 0;
  };
  QVariant display(const Row& row, int column) const;
  QVariant sortKey(const Row& row, int column) const;
  QString toolTip(const Row& row, int column) const;

  Document& document_;
  const RecombinationControl& control_;
  int sample_ = -1;
  std::vector<Row> rows_;
  TimeUnit unit_ = TimeUnit::Milliseconds;
};

} // namespace nestwright::ui
