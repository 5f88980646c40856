#include "ui/travel/travel_program_model.h"

#include "ui/document/words/program_words.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>
#include <limits>

namespace nestwright::ui {

QString travelText(Travel travel) {
  switch (travel) {
  case Travel::Everywhere:
    return TravelProgramModel::tr("everywhere");
  case Travel::Several:
    return TravelProgramModel::tr("several targets");
  case Travel::OneTarget:
    return TravelProgramModel::tr("one target");
  case Travel::Nowhere:
    return TravelProgramModel::tr("nowhere");
  case Travel::Unknown:
    break;
  }
  return TravelProgramModel::tr("not measured everywhere");
}

QString ratioText(double ratio) {
  return std::isinf(ratio) ? TravelProgramModel::tr("failed") : factorText(ratio);
}

TravelProgramModel::TravelProgramModel(Rows which, QObject* parent)
    : TableModel(parent), which_(which) {
  setColumns(columns());
}

double TravelProgramModel::ratio(const TravelRow& row, std::size_t target) const {
  const TaskTimes& task = answer_.times->tasks[row.task];
  for (std::size_t place = 0; place < task.targets.size(); ++place)
    if (task.targets[place] == target) return task.slowdown(row.program, place);
  return std::numeric_limits<double>::quiet_NaN();
}

TravelProgramModel::Columns TravelProgramModel::columns() const {
  Columns columns;
  columns.push_back({.title = tr("Task"),
                     .tip = tr("What the program computes."),
                     .text = [this](const TravelRow& row) {
                       return taskTitle(answer_.times->tasks[row.task].task.name);
                     }});
  columns.push_back({.title = tr("Program"),
                     .tip = tr("The beginning of the hash of its steps, by which records are "
                               "compared."),
                     .text =
                         [this](const TravelRow& row) {
                           return shortName(answer_.times->tasks[row.task].programs[row.program]);
                         },
                     .bare =
                         [this](const TravelRow& row) {
                           return qs(answer_.times->tasks[row.task].programs[row.program]);
                         }});
  if (which_ == Rows::Portfolio)
    columns.push_back({.title = tr("Why"),
                       .tip = tr("Why it was chosen, in the order of choice."),
                       .text = [](const TravelRow& row) { return row.why; },
                       .toolTip = [](const TravelRow& row) { return row.why; }});
  else
    columns.push_back({.title = tr("Good"),
                       .tip = tr("On which targets it is within the bound of the best one there. "
                                 "A program that fails on a target is never good everywhere."),
                       .text = [](const TravelRow& row) { return travelText(row.travel); },
                       .sort = [](const TravelRow& row) { return int(row.travel); }});
  for (std::size_t target = 0; target < answer_.times->targets.size(); ++target)
    columns.push_back(
        {.title = qs(answer_.times->targets[target].id),
         .tip = tr("Its time by the best program's on %1: 1 is the best, higher is slower.\n%2")
                    .arg(qs(answer_.times->targets[target].id),
                         qs(answer_.times->targets[target].text)),
         .text = [this, target](const TravelRow& row) { return ratioText(ratio(row, target)); },
         .align = kRight,
         .sort = [this, target](const TravelRow& row) -> QVariant {
           const double of = ratio(row, target);
           return std::isnan(of) ? std::numeric_limits<double>::max() : of;
         },
         .bare = [this, target](const TravelRow& row) -> QVariant {
           const double of = ratio(row, target);
           return std::isfinite(of) ? QString::number(of, 'g', 8)
                  : std::isinf(of)  ? tr("failed")
                                    : QString();
         }});
  return columns;
}

void TravelProgramModel::addTask(std::size_t task, std::vector<TravelRow>& rows) const {
  const TaskTravel& travel = answer_.map.tasks[task];
  const TaskTimes& times = answer_.times->tasks[task];
  const double within = answer_.map.settings.within;
  if (which_ == Rows::Portfolio) {
    for (const PortfolioProgram& chosen : travel.portfolio.programs)
      rows.push_back({task, chosen.program, travel.travels.programs[chosen.program],
                      qs(reasonText(chosen, times, answer_.times->targets, within))});
    return;
  }
  for (std::size_t program = 0; program < times.programs.size(); ++program)
    if (!goodTargets(times, program, within).empty())
      rows.push_back({task, program, travel.travels.programs[program], {}});
}

void TravelProgramModel::show(const TravelAnswer& answer, std::optional<std::size_t> task) {
  beginResetModel();
  answer_ = answer;
  setColumns(columns());
  rows_.clear();
  for (std::size_t i = 0; i < answer_.map.tasks.size(); ++i)
    if (!task || *task == i) addTask(i, rows_);
  endResetModel();
}

} // namespace nestwright::ui

#include "moc_travel_program_model.cpp"
