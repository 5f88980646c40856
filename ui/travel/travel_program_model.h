#pragma once
/// \file Programs with their time by the best on each target: those that are good somewhere, or
/// those of the portfolios with the reason of each.

#include "ui/kit/table/column_model.h"
#include "ui/travel/travel_reader.h"

#include <optional>

namespace nestwright::ui {

/// A program of a task, by its indices.
struct TravelRow {
  std::size_t task = 0, program = 0;
  Travel travel = Travel::Nowhere;
  QString why; // of a portfolio's
  friend bool operator==(const TravelRow& a, const TravelRow& b) {
    return a.task == b.task && a.program == b.program;
  }
};

/// Columns are task, program, how far it travels or why it was chosen, and one for each target.
class TravelProgramModel : public TableModel<TravelRow> {
  Q_OBJECT
 public:
  enum class Rows { Good, Portfolio };
  enum Column { Task, Program, Travels, FirstTarget };

  TravelProgramModel(Rows which, QObject* parent = nullptr);
  /// Of a task (its index), or of all.
  void show(const TravelAnswer& answer, std::optional<std::size_t> task);
  /// Time by the best on a target (an index of TravelTimes::targets); infinity where it failed, not
  /// a number where it was not measured.
  double ratio(const TravelRow& row, std::size_t target) const;

 private:
  Columns columns() const;
  void addTask(std::size_t task, std::vector<TravelRow>& rows) const;

  Rows which_;
  TravelAnswer answer_;
};

/// "everywhere", "one target", ...
QString travelText(Travel travel);
/// "1.04×", "failed", "–".
QString ratioText(double ratio);

} // namespace nestwright::ui
