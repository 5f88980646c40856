#pragma once
/// \file A race as tables: its tasks with what every racer reached, and who wins against whom.

#include "core/session/race/race_result.h"
#include "ui/kit/table/column_model.h"

#include <QString>

#include <vector>

namespace nestwright::ui {

/// One task of the race, and where each racer's curve ends.
struct RaceTaskRow {
  QString name;
  struct End {
    double mean = 0, low = 0, high = 0; // FLOP/s; mean 0: none
    std::size_t sessions = 0;
  };
  std::vector<End> ends; // by racer
  double best() const;   // the highest mean
};

/// The rows are the race's tasks in its order; a column for each racer behind the task's name.
class RaceTaskModel : public TableModel<RaceTaskRow> {
  Q_OBJECT
 public:
  enum Column { Task, FirstRacer };
  explicit RaceTaskModel(QObject* parent = nullptr) : TableModel(parent) {}
  void show(const RaceResult& result);
};

/// A duel with the racers' names.
struct RaceDuelRow {
  RaceDuel duel;
  QString left, right;
  QString sentence;
};

class RaceDuelModel : public TableModel<RaceDuelRow> {
  Q_OBJECT
 public:
  enum Column { Racer, Against, Verdict, Ratio, Interval, Wins, P, Adjusted, ColumnCount };
  explicit RaceDuelModel(QObject* parent = nullptr);
  void show(const RaceResult& result);

 private:
  Columns columns() const;
  QVariant rowData(const RaceDuelRow& row, int role) const override;
};

/// One session of the race.
struct RaceSessionRow {
  RaceCourse course;
  QString racer, task;
  std::uint64_t seed = 0;
  double throughput = 0; // FLOP/s, of its best; 0: none
};

/// The rows are in the order of the race.
class RaceSessionModel : public TableModel<RaceSessionRow> {
  Q_OBJECT
 public:
  enum Column { Session, Racer, Task, Seed, Status, Trials, Errors, Best, ColumnCount };
  explicit RaceSessionModel(QObject* parent = nullptr);
  void show(const RaceResult& result);
};

/// "▲ faster", "▼ slower", "≈ may be chance", "– too few pairs": never by colour alone.
QString duelMark(const RaceDuel& duel);

} // namespace nestwright::ui
