#include "ui/race/race_words.h"

#include "ui/charts/curve_axes.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright::ui {
namespace {

constexpr double kGiga = 1e9;
/// A few sessions may have an interval many times their mean: it is cut off where the curves would
/// no longer be told apart.
constexpr double kRoomAbove = 1.35;
/// Places of a curve that the arrow keys stop at.
constexpr std::size_t kMostStops = 400;

Qt::PenStyle styleOf(std::size_t racer) {
  static constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DashDotLine,
                                             Qt::DotLine};
  return kStyles[racer % std::size(kStyles)];
}

int colourOf(std::size_t racer) {
  return static_cast<int>(racer % colours().series.size());
}

/// The band of a step line: each value holds until the next.
PlotSeries bandOf(const RaceCurve& curve, std::size_t racer, double top, double end) {
  PlotSeries band;
  band.shape = PlotSeries::Shape::Band;
  band.colour = colourOf(racer);
  band.faint = true;
  const auto add = [&](double x, std::size_t i) {
    band.x.push_back(x);
    band.y.push_back(std::min(top, curve.low[i] / kGiga));
    band.upper.push_back(std::min(top, curve.high[i] / kGiga));
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    add(curve.x[i], i);
    add(i + 1 < curve.x.size() ? curve.x[i + 1] : std::max(end, curve.x[i]), i);
  }
  return band;
}

PlotSeries lineOf(const RaceCurve& curve, const QString& name, std::size_t racer, double end) {
  PlotSeries line;
  line.name = name;
  line.shape = PlotSeries::Shape::Step;
  line.colour = colourOf(racer);
  line.style = styleOf(racer);
  line.x = curve.x;
  for (const double mean : curve.mean)
    line.y.push_back(mean / kGiga);
  if (line.x.back() < end) { // one that has ended early keeps its best
    line.x.push_back(end);
    line.y.push_back(line.y.back());
  }
  return line;
}

QString xText(const Race& race, double x) {
  return race.isByTime() ? durationText(x) : tr("trial %1").arg(countText(std::int64_t(x)));
}

QString pointText(const RaceCurve& curve, std::size_t at) {
  const QString mean = throughputText(curve.mean[at]);
  if (curve.sessions < 2) return tr("%1, one seed").arg(mean);
  return tr("%1, 95 %: %2 to %3, %4 seeds")
      .arg(mean, throughputText(curve.low[at]), throughputText(curve.high[at]))
      .arg(curve.sessions);
}

void addStops(SeriesScene& scene, const std::vector<RaceCurve>& curves) {
  std::set<double> places;
  for (const RaceCurve& curve : curves)
    places.insert(curve.x.begin(), curve.x.end());
  const std::size_t step = std::max<std::size_t>(1, places.size() / kMostStops);
  std::size_t number = 0;
  for (const double x : places)
    if (number++ % step == 0 || x == *places.rbegin()) scene.stops.push_back(x);
}

QString sizeText(const Race& race) {
  return tr("%1, %2, %3 of each session")
      .arg(countedText(std::int64_t(race.tasks.size()), tr("1 task"), tr("%1 tasks")),
           countedText(std::int64_t(race.seeds.size()), tr("1 seed"), tr("%1 seeds")),
           race.isByTime() ? budgetTimeText(race.budget.maxSeconds)
                           : countedText(race.budget.trials, tr("1 trial"), tr("%1 trials")));
}

QString farText(const RaceResult& result) {
  return tr("%1 of %2 sessions have ended, %3 of all budgets is used")
      .arg(result.ended())
      .arg(result.courses.size())
      .arg(percentText(result.used()));
}

} // namespace

QString titleOf(const RaceChoice& race) {
  QStringList racers;
  for (const std::string& racer : race.racers)
    racers << qs(racer);
  return tr("Race %1 · %2 · %3")
      .arg(qs(race.name), racers.join(tr(" against ")), momentText(race.createdAt));
}

QString progressText(const RaceAnswer& answer, const QString& file) {
  const Race& race = answer.result.race;
  const QString what = sizeText(race);
  if (race.isOver()) return tr("Race %1 is over: %2.").arg(qs(race.name), what);
  const QString far = farText(answer.result);
  if (!answer.runner.empty())
    return tr("Race %1 is under way: %2; %3. It is run by %4.")
        .arg(qs(race.name), far, what, qs(answer.runner));
  return tr("Race %1 is paused: %2; %3. Resume goes on with it, and so does: nestwright race --db "
            "\"%4\" --resume")
      .arg(qs(race.name), far, what, file);
}

QString runsHereText(const RaceAnswer& answer, bool isPausing, const QString& moment) {
  const QString how = isPausing          ? tr("is being paused")
                      : moment.isEmpty() ? tr("runs in this window")
                                         : tr("runs in this window, %1").arg(moment);
  return tr("Race %1 %2: %3; %4.")
      .arg(qs(answer.result.race.name), how, farText(answer.result), sizeText(answer.result.race));
}

QString verdictText(const RaceResult& result) {
  return result.duels.empty() ? QString() : sentenceOf(summary(result));
}

QString raceCommand(const QString& file) {
  return QStringLiteral("nestwright race matmul:m=512,n=512,k=512 --policy random "
                        "--policy evolutionary --seeds 5 --trials 200 --db \"%1\"")
      .arg(file);
}

QString howToRace(const QString& command) {
  return tr("There is no race in this document.\n\nA race has search policies, or two settings of "
            "one, work on the same tasks with equal budgets and the same seeds, their rounds in "
            "turns, and says who wins and whether that may be chance. It is made here, or on the "
            "command line, and can be watched while it goes on:\n\n%1")
      .arg(command);
}

SeriesScene raceScene(const RaceResult& result, std::size_t task, double marked) {
  const Race& race = result.race;
  SeriesScene scene;
  std::vector<RaceCurve> curves;
  double highest = 0, end = 0;
  for (std::size_t racer = 0; racer < race.racers.size(); ++racer) {
    curves.push_back(result.curve(racer, task));
    if (curves.back().empty()) continue;
    highest = std::max(highest, curves.back().mean.back() / kGiga);
    end = std::max(end, curves.back().x.back());
  }
  if (highest == 0) {
    scene.message = tr("No racer has a program of this task that ran yet.");
    return scene;
  }
  scene.xLabel = race.isByTime() ? tr("seconds of each session") : tr("trials of each session");
  scene.xTip = race.isByTime() ? tr("Time of each session's own turns; it stands while others run.")
                               : tr("Programs that each session measured, errors with them.");
  scene.yLabel = tr("best, GFLOP/s");
  scene.yTip =
      tr("The geometric mean over seeds of the best throughput so far; more is better. The "
         "band is its 95 % interval, by Student's t of the logarithms; a band wider than "
         "the picture is cut off.");
  const double top = kRoomAbove * highest;
  for (std::size_t racer = 0; racer < race.racers.size(); ++racer)
    if (!curves[racer].empty() && curves[racer].sessions > 1)
      scene.series.push_back(bandOf(curves[racer], racer, top, end));
  for (std::size_t racer = 0; racer < race.racers.size(); ++racer)
    if (!curves[racer].empty())
      scene.series.push_back(lineOf(curves[racer], qs(race.racers[racer]), racer, end));
  addStops(scene, curves);
  scene.marked = marked;
  scene.describe = [race, curves](double x) {
    QStringList lines{xText(race, x)};
    for (std::size_t racer = 0; racer < curves.size(); ++racer) {
      const std::optional<std::size_t> at = curves[racer].at(x);
      lines << QStringLiteral("%1: %2").arg(qs(race.racers[racer]),
                                            at ? pointText(curves[racer], *at) : noValue());
    }
    return lines.join(QLatin1Char('\n'));
  };
  return scene;
}

ExportTable curveTable(const RaceResult& result) {
  const Race& race = result.race;
  std::vector<QStringList> rows;
  for (std::size_t task = 0; task < race.tasks.size(); ++task)
    for (std::size_t racer = 0; racer < race.racers.size(); ++racer) {
      const RaceCurve curve = result.curve(racer, task);
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        rows.push_back({qs(race.tasks[task].name), qs(race.racers[racer]),
                        QString::number(curve.x[i]), gigaflopsIn(curve.mean[i]),
                        gigaflopsIn(curve.low[i]), gigaflopsIn(curve.high[i]),
                        QString::number(curve.sessions)});
    }
  return tableOfRows({tr("Task"), tr("Racer"), race.isByTime() ? tr("Seconds") : tr("Trials"),
                      tr("Best, GFLOP/s"), tr("95 % from"), tr("95 % to"), tr("Seeds")},
                     std::move(rows));
}

} // namespace nestwright::ui
