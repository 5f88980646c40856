#pragma once
/// \file Which candidate of which task a combination took, as a table.

#include "ui/kit/format.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class Document;
class RecombinationControl;

struct TakenCandidate {
  std::int64_t task = 0, record = 0;
  QString name;
  double weight = 0, seconds = 0, bestSeconds = 0;
  int rank = 0, candidates = 0;
};

class RecombinationModel : public TableModel<TakenCandidate> {
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

 private:
  using Row = TakenCandidate;
  Columns columns() const;
  QVariant rowData(const Row& row, int role) const override;

  Document& document_;
  const RecombinationControl& control_;
  int sample_ = -1;
  TimeUnit unit_ = TimeUnit::Milliseconds;
};

} // namespace nestwright::ui
