#include "ui/race/race_models.h"

#include "core/session/race/signed_rank.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/table/count_column.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

bool hasRatio(const RaceDuelRow& row) {
  return row.duel.pairs > row.duel.unmatched;
}

QString factor(double value) {
  return QString::number(value, 'f', 2) + QChar(0xd7);
}

/// "0.016", "2.1e-05", and 1 as it is.
QString chanceText(double p) {
  return QString::number(p, 'g', 2);
}

QString endText(const RaceTaskRow::End& end) {
  if (end.mean <= 0) return RaceTaskModel::tr("No program that ran yet.");
  if (end.sessions < 2) return RaceTaskModel::tr("%1 with one seed.").arg(throughputText(end.mean));
  return RaceTaskModel::tr("%1, the geometric mean over %2 seeds; 95 %: %3 to %4.")
      .arg(throughputText(end.mean))
      .arg(end.sessions)
      .arg(throughputText(end.low), throughputText(end.high));
}

} // namespace

double RaceTaskRow::best() const {
  double best = 0;
  for (const End& end : ends)
    best = std::max(best, end.mean);
  return best;
}

void RaceTaskModel::show(const RaceResult& result) {
  const Race& race = result.race;
  Columns columns{{.title = tr("Task"),
                   .tip = tr("The tasks of the race; choose one for its curves."),
                   .text = [](const RaceTaskRow& row) { return row.name; },
                   .toolTip = [](const RaceTaskRow& row) { return row.name; }}};
  for (std::size_t racer = 0; racer < race.racers.size(); ++racer) {
    const auto at = [racer](const RaceTaskRow& row) -> const RaceTaskRow::End& {
      return row.ends[racer];
    };
    columns.push_back(
        {.title = qs(race.racers[racer]),
         .tip = tr("%1: the geometric mean over seeds of its best throughput in the end; more is "
                   "better. ★ marks the highest of the task.")
                    .arg(qs(race.racers[racer])),
         .text =
             [at](const RaceTaskRow& row) {
               if (at(row).mean <= 0) return noValue();
               const QString text = throughputText(at(row).mean);
               return at(row).mean == row.best() ? QStringLiteral("★ ") + text : text;
             },
         .align = kRight,
         .sort = [at](const RaceTaskRow& row) -> QVariant { return at(row).mean; },
         .bare = [at](const RaceTaskRow& row) -> QVariant { return at(row).mean / 1e9; },
         .bareTitle = tr("%1, GFLOP/s").arg(qs(race.racers[racer])),
         .toolTip = [at](const RaceTaskRow& row) { return endText(at(row)); },
         .fraction = [at](const RaceTaskRow& row) -> QVariant {
           return row.best() > 0 ? at(row).mean / row.best() : QVariant();
         },
         .firstOrder = Qt::DescendingOrder});
  }
  std::vector<RaceTaskRow> rows;
  for (std::size_t task = 0; task < race.tasks.size(); ++task) {
    RaceTaskRow row{taskTitle(race.tasks[task].name), {}};
    for (std::size_t racer = 0; racer < race.racers.size(); ++racer) {
      const RaceCurve curve = result.curve(racer, task);
      row.ends.push_back(curve.empty() ? RaceTaskRow::End()
                                       : RaceTaskRow::End{curve.mean.back(), curve.low.back(),
                                                          curve.high.back(), curve.sessions});
    }
    rows.push_back(std::move(row));
  }
  beginResetModel();
  setColumns(std::move(columns));
  rows_ = std::move(rows);
  endResetModel();
}

QString duelMark(const RaceDuel& duel) {
  if (duel.pairs == 0) return RaceDuelModel::tr("– no pair yet");
  if (duel.isSignificant())
    return duel.leansLeft ? RaceDuelModel::tr("▲ faster") : RaceDuelModel::tr("▼ slower");
  return duel.pairs < kFewestPairs ? RaceDuelModel::tr("– too few pairs")
                                   : RaceDuelModel::tr("≈ may be chance");
}

RaceDuelModel::RaceDuelModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

void RaceDuelModel::show(const RaceResult& result) {
  std::vector<RaceDuelRow> rows;
  for (const RaceDuel& duel : result.duels)
    rows.push_back({duel, qs(result.race.racers[duel.left]), qs(result.race.racers[duel.right]),
                    qs(inWords(duel, result.race.racers)) + QLatin1Char('.')});
  setRows(std::move(rows));
}

RaceDuelModel::Columns RaceDuelModel::columns() const {
  using Row = RaceDuelRow;
  const auto bySignificance = [](const Row& row) -> QVariant {
    if (!row.duel.isSignificant()) return colours().dim;
    return row.duel.leansLeft ? colours().vector : colours().waiting;
  };
  const auto chance = [](const char* title, const QString& tip, double RaceDuel::*of) {
    return TableColumn<Row>{.title = tr(title),
                            .tip = tip,
                            .text = [of](const Row& row) { return chanceText(row.duel.*of); },
                            .align = kRight,
                            .sort = [of](const Row& row) -> QVariant { return row.duel.*of; },
                            .bare = [of](const Row& row) -> QVariant { return row.duel.*of; }};
  };
  return {
      {.title = tr("Racer"),
       .tip = tr("The policy with its settings, of which the row speaks."),
       .text = [](const Row& row) { return row.left; }},
      {.title = tr("Against"),
       .tip = tr("The one that it is compared with."),
       .text = [](const Row& row) { return row.right; }},
      {.title = tr("Is it"),
       .tip = tr("Faster or slower only where the p-value after Holm is below 0.05; fewer than "
                 "six pairs can never be that sure."),
       .text = [](const Row& row) { return duelMark(row.duel); },
       .colour = bySignificance},
      {.title = tr("As fast"),
       .tip = tr("Throughput by that of the other: the geometric mean over tasks and seeds. "
                 "Above 1 the racer is faster."),
       .text = [](const Row& row) { return hasRatio(row) ? factor(row.duel.ratio) : noValue(); },
       .align = kRight,
       .sort = [](const Row& row) -> QVariant { return row.duel.ratio; },
       .bare = [](const Row& row) -> QVariant { return row.duel.ratio; },
       .colour = bySignificance},
      {.title = tr("95 %"),
       .tip = tr("95 % interval of the mean ratio, by Student's t of the logarithms."),
       .text =
           [](const Row& row) {
             return row.duel.pairs - row.duel.unmatched > 1
                        ? QStringLiteral("%1 … %2").arg(factor(row.duel.low), factor(row.duel.high))
                        : noValue();
           },
       .align = kRight,
       .sort = [](const Row& row) -> QVariant { return row.duel.low; }},
      {.title = tr("Wins"),
       .tip = tr("Pairs of a task and a seed in which the racer was faster in the end : those "
                 "in which the other was. A session without a program that ran loses."),
       .text =
           [](const Row& row) {
             return QStringLiteral("%1 : %2").arg(row.duel.leftWins).arg(row.duel.rightWins);
           },
       .align = kRight,
       .sort = [](const Row& row) -> QVariant { return row.duel.leftWins; }},
      chance("p",
             tr("How often so lopsided ranks of differences come by chance: Wilcoxon's signed "
                "ranks over all pairs, two-sided."),
             &RaceDuel::p),
      chance("after Holm", tr("The same, larger, since several comparisons are made at once."),
             &RaceDuel::adjusted)};
}

QVariant RaceDuelModel::rowData(const RaceDuelRow& row, int role) const {
  return role == Qt::ToolTipRole ? QVariant(row.sentence) : QVariant();
}

RaceSessionModel::RaceSessionModel(QObject* parent) : TableModel(parent) {
  using Row = RaceSessionRow;
  setColumns(
      {countColumn<Row>(tr("Session"),
                        tr("Its number in the document, in which it can be opened as any other."),
                        [](const Row& row) -> qint64 { return row.course.session; }),
       {.title = tr("Racer"),
        .tip = tr("The policy with its settings."),
        .text = [](const Row& row) { return row.racer; }},
       {.title = tr("Task"),
        .tip = tr("What it searches."),
        .text = [](const Row& row) { return row.task; }},
       countColumn<Row>(tr("Seed"), tr("Of all its random choices."),
                        [](const Row& row) -> qint64 { return static_cast<qint64>(row.seed); }),
       {.title = tr("Status"),
        .tip = tr("A session is ready until its first turn, and finished when its budget is used."),
        .text = [](const Row& row) { return QString::fromUtf8(name(row.course.status)); }},
       countColumn<Row>(tr("Trials"), tr("Programs that it measured, errors with them."),
                        [](const Row& row) -> qint64 { return row.course.trials; }),
       countColumn<Row>(tr("Errors"), tr("Programs of these that failed."),
                        [](const Row& row) -> qint64 { return row.course.errors; }),
       {.title = tr("Best"),
        .tip = tr("The throughput of its fastest program; more is better."),
        .text =
            [](const Row& row) {
              return row.throughput > 0 ? throughputText(row.throughput) : noValue();
            },
        .align = kRight,
        .sort = [](const Row& row) -> QVariant { return row.throughput; },
        .bare = [](const Row& row) -> QVariant { return row.throughput / 1e9; },
        .bareTitle = tr("Best, GFLOP/s"),
        .firstOrder = Qt::DescendingOrder}});
}

void RaceSessionModel::show(const RaceResult& result) {
  const Race& race = result.race;
  std::vector<RaceSessionRow> rows;
  for (std::size_t seed = 0; seed < race.seeds.size(); ++seed)
    for (std::size_t task = 0; task < race.tasks.size(); ++task)
      for (std::size_t racer = 0; racer < race.racers.size(); ++racer) {
        RaceSessionRow row{result.course(racer, task, seed), qs(race.racers[racer]),
                           taskTitle(race.tasks[task].name), race.seeds[seed], 0};
        if (!row.course.bests.empty())
          row.throughput = race.tasks[task].flops / row.course.bests.back().seconds;
        rows.push_back(std::move(row));
      }
  setRows(std::move(rows));
}

} // namespace nestwright::ui

#include "moc_race_models.cpp"
