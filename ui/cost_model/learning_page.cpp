#include "ui/cost_model/learning_page.h"

#include "ui/charts/series_plot.h"
#include "ui/document/policy/policy_kind.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QGridLayout>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace nestwright::ui {
namespace {

using Shape = PlotSeries::Shape;

QString numberText(double share) {
  return std::isfinite(share) ? QString::number(share, 'g', 6) : QString();
}

/// A chart over rounds, with nothing in it yet.
SeriesScene overRounds(int selected, const QString& yLabel, const QString& yTip) {
  SeriesScene scene;
  scene.xLabel = NotedPage::tr("round");
  scene.xTip = NotedPage::tr("Rounds of the session in their order: each is a batch of programs of "
                             "one task that were measured together.");
  scene.yLabel = yLabel;
  scene.yTip = yTip;
  scene.marked = selected > 0 ? selected : -1;
  return scene;
}

/// What is told of a round, by its number.
using Told = std::map<int, QString>;

void tellOf(SeriesScene& scene, Told told) {
  for (const auto& [round, text] : told)
    scene.stops.push_back(round);
  scene.describe = [told = std::move(told)](double round) {
    const auto found = told.find(static_cast<int>(std::lround(round)));
    return found == told.end() ? QString() : found->second;
  };
}

} // namespace

LearningPage::LearningPage(QWidget* parent)
    : NotedPage(parent),
      calibration_(new SeriesPlot(this, tr("Calibration of the cost model over the rounds"))),
      recall_(new SeriesPlot(this, tr("Average recall of the cost model's fits"))),
      chance_(new SeriesPlot(this, tr("ε and the share of random trials over the rounds"))),
      improvement_(new SeriesPlot(this, tr("Expected improvement of the plans"))) {
  auto* content = new QWidget(this);
  auto* grid = new QGridLayout(content);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(calibration_, 0, 0);
  grid->addWidget(recall_, 0, 1);
  grid->addWidget(chance_, 1, 0);
  grid->addWidget(improvement_, 1, 1);
  setContent(content);
  for (SeriesPlot* plot : {calibration_, recall_, chance_, improvement_})
    connect(plot, &SeriesPlot::picked, this,
            [this](double round) { Q_EMIT picked(static_cast<int>(std::lround(round))); });
}

void LearningPage::show(LearningScene scene) {
  scene_ = std::move(scene);
  setNote(words());
  showCalibration();
  showRecall();
  showChance();
  showImprovement();
}

QString LearningPage::words() const {
  if (scene_.calibrations.empty()) return {};
  const Calibration& all = scene_.calibrations.back().soFar;
  const QString verdict = [&] {
    switch (surenessOf(all)) {
    case Sureness::TooSure:
      return tr("it is surer than it should be");
    case Sureness::Unsure:
      return tr("it is less sure than it could be");
    case Sureness::AsShould:
      return tr("it is about as sure as it should be");
    case Sureness::TooFew:
      break;
    }
    return tr("they are too few to say whether it is as sure as it should be");
  }();
  return tr("Of %1 programs with a standard deviation σ, %2 were measured within ±1σ of what the "
            "model expected (a normal distribution has 68 %) and %3 within ±2σ (95 %): %4.")
      .arg(countText(std::int64_t(all.programs)))
      .arg(percentText(all.share1()), percentText(all.share2()), verdict);
}

void LearningPage::showCalibration() {
  SeriesScene scene =
      overRounds(scene_.selectedRound, tr("share of the programs"),
                 tr("Share of a round's programs that were measured within one and within two "
                    "standard deviations of what the model expected. At the dotted lines the model "
                    "is as sure as it should be; below them it is too sure. Dots are rounds, lines "
                    "all rounds so far. Failed programs are left out."));
  PlotSeries own1{{}, Shape::Dots, 0, Qt::SolidLine, {}, {}, {}},
      own2{{}, Shape::Dots, 2, Qt::SolidLine, {}, {}, {}},
      all1{tr("within ±1σ"), Shape::Line, 0, Qt::SolidLine, {}, {}, {}},
      all2{tr("within ±2σ"), Shape::Line, 2, Qt::DashLine, {}, {}, {}};
  Told told;
  for (const RoundCalibration& round : scene_.calibrations) {
    const std::array<std::pair<PlotSeries*, double>, 4> values{{{&own1, round.own.share1()},
                                                                {&own2, round.own.share2()},
                                                                {&all1, round.soFar.share1()},
                                                                {&all2, round.soFar.share2()}}};
    for (const auto& [series, value] : values) {
      series->x.push_back(round.round);
      series->y.push_back(value);
    }
    told[round.round] =
        tr("Round %1: of %2 programs %3 within ±1σ, %4 within ±2σ\nSo far: of %5 "
           "programs %6 within ±1σ, %7 within ±2σ")
            .arg(round.round)
            .arg(round.own.programs)
            .arg(percentText(round.own.share1()), percentText(round.own.share2()))
            .arg(round.soFar.programs)
            .arg(percentText(round.soFar.share1()), percentText(round.soFar.share2()));
  }
  scene.series = {own1, own2, all1, all2};
  scene.references = {{kNormalWithin1, tr("68 %"), 0}, {kNormalWithin2, tr("95 %"), 2}};
  scene.yLow = 0;
  scene.yHigh = 1;
  if (scene_.calibrations.empty())
    scene.message = scene_.predicted
                        ? tr("The model “%1” does not say how sure it is of its predictions.\n"
                             "“forest” does.")
                              .arg(qs(scene_.config.model))
                        : scene_.empty;
  tellOf(scene, std::move(told));
  calibration_->show(std::move(scene));
}

void LearningPage::showRecall() {
  SeriesScene scene = overRounds(
      scene_.selectedRound, tr("average recall"),
      tr("How well the model, having learned, finds the fastest programs of those that it learned "
         "from: the mean over k up to the plan's size of how many of the k fastest are among the k "
         "best predicted. 1 is perfect. It says how well the model fits, not how well it "
         "predicts."));
  PlotSeries recall{tr("a-recall"), Shape::Line, 4, Qt::SolidLine, {}, {}, {}};
  Told told;
  for (const CourseRound& round : scene_.rounds)
    if (round.recall) {
      recall.x.push_back(round.round);
      recall.y.push_back(*round.recall);
      told[round.round] = tr("After round %1: a-recall %2 on the %3 programs learned from")
                              .arg(round.round)
                              .arg(*round.recall, 0, 'f', 3)
                              .arg(countText(std::int64_t(round.learned)));
    }
  scene.yLow = 0;
  scene.yHigh = 1;
  const bool learned = std::ranges::any_of(
      scene_.rounds, [](const CourseRound& round) { return round.learned > 0; });
  if (recall.x.empty())
    scene.message = learned ? tr("No average recall was kept of the fits of the model “%1”.\n"
                                 "“autotvm” stops by it.")
                                  .arg(qs(scene_.config.model))
                            : scene_.empty;
  scene.series = {recall};
  tellOf(scene, std::move(told));
  recall_->show(std::move(scene));
}

void LearningPage::showChance() {
  SeriesScene scene =
      overRounds(scene_.selectedRound, tr("share"),
                 tr("Bars: share of the round's programs that were picked at random. Line: the ε "
                    "that the plan was made with, a share that is rounded down to whole programs. "
                    "AdaTune sets ε to how unsure its model is on average."));
  PlotSeries random{tr("random trials"), Shape::Bars, 4, Qt::SolidLine, {}, {}, {}},
      epsilon{tr("ε"), Shape::Step, 1, Qt::SolidLine, {}, {}, {}};
  Told told;
  for (const CourseRound& round : scene_.rounds) {
    if (round.programs) {
      random.x.push_back(round.round);
      random.y.push_back(round.randomShare());
      told[round.round] = tr("Round %1: %2 of %3 programs at random, %4")
                              .arg(round.round)
                              .arg(round.atRandom)
                              .arg(*round.programs)
                              .arg(percentText(round.randomShare()));
    }
    if (round.plan) {
      epsilon.x.push_back(round.round);
      epsilon.y.push_back(round.plan->epsilon);
      QString& text = told[round.round];
      text += (text.isEmpty() ? tr("Round %1: ").arg(round.round) : QStringLiteral("\n")) +
              tr("ε %1").arg(round.plan->epsilon, 0, 'f', 3);
    }
  }
  scene.yLow = 0;
  scene.yHigh = 1;
  if (random.x.empty() && epsilon.x.empty())
    scene.message = tr("No round has picked its programs yet.");
  scene.series = {random, epsilon};
  tellOf(scene, std::move(told));
  chance_->show(std::move(scene));
}

void LearningPage::showImprovement() {
  const bool raw = scene_.config.energy == ImprovementScale::Raw;
  SeriesScene scene = overRounds(
      scene_.selectedRound,
      raw ? tr("expected improvement, FLOP/s") : tr("expected improvement, share of the best"),
      tr("How much faster than the fastest the configurations of a plan were expected to be, by "
         "what the model predicted and how unsure it was of it. The best of the plan, and the "
         "least that was picked for it. It falls as there is less to be found."));
  PlotSeries band{{}, Shape::Band, 2, Qt::SolidLine, {}, {}, {}},
      best{tr("best"), Shape::Line, 2, Qt::SolidLine, {}, {}, {}},
      least{tr("least picked"), Shape::Line, 0, Qt::DashLine, {}, {}, {}};
  Told told;
  const std::optional<SearchPolicyKind> policy = policyKind(scene_.config);
  const bool byImprovement = policy && policy->byImprovement;
  if (byImprovement)
    for (const CourseRound& round : scene_.rounds)
      if (round.plan && round.plan->byScore + round.plan->byDiversity > 0 &&
          std::isfinite(round.plan->bestEnergy) && std::isfinite(round.plan->leastEnergy)) {
        for (PlotSeries* series : {&band, &best, &least})
          series->x.push_back(round.round);
        band.y.push_back(round.plan->leastEnergy);
        band.upper.push_back(round.plan->bestEnergy);
        best.y.push_back(round.plan->bestEnergy);
        least.y.push_back(round.plan->leastEnergy);
        told[round.round] = tr("Plan of round %1: expected improvement up to %2, at least %3")
                                .arg(round.round)
                                .arg(round.plan->bestEnergy, 0, 'g', 4)
                                .arg(round.plan->leastEnergy, 0, 'g', 4);
      }
  if (best.x.empty())
    scene.message =
        byImprovement
            ? tr("No plan has been made yet.")
            : tr("The policy “%1” does not ask for the expected improvement.\n“contextual” does.")
                  .arg(qs(scene_.config.policy));
  scene.series = {band, best, least};
  tellOf(scene, std::move(told));
  improvement_->show(std::move(scene));
}

ExportTable LearningPage::table() const {
  const QStringList headers{tr("round"),
                            tr("programs with a deviation"),
                            tr("share within 1 deviation"),
                            tr("share within 2 deviations"),
                            tr("average recall of the fit"),
                            tr("programs learned from"),
                            tr("share of random trials"),
                            tr("epsilon"),
                            tr("best energy of the plan"),
                            tr("least energy picked for it")};
  std::map<int, QStringList> rows;
  const auto row = [&](int round) -> QStringList& {
    QStringList& cells = rows[round];
    if (cells.isEmpty()) {
      cells.resize(headers.size());
      cells[0] = QString::number(round);
    }
    return cells;
  };
  for (const RoundCalibration& round : scene_.calibrations) {
    QStringList& cells = row(round.round);
    cells[1] = QString::number(round.own.programs);
    cells[2] = numberText(round.own.share1());
    cells[3] = numberText(round.own.share2());
  }
  for (const CourseRound& round : scene_.rounds) {
    QStringList& cells = row(round.round);
    if (round.recall) cells[4] = numberText(*round.recall);
    if (round.learned > 0) cells[5] = QString::number(round.learned);
    if (round.programs) cells[6] = numberText(round.randomShare());
    if (!round.plan) continue;
    cells[7] = numberText(round.plan->epsilon);
    cells[8] = numberText(round.plan->bestEnergy);
    cells[9] = numberText(round.plan->leastEnergy);
  }
  std::vector<QStringList> list;
  for (auto& [number, cells] : rows)
    list.push_back(std::move(cells));
  return tableOfRows(headers, std::move(list));
}

void LearningPage::exportPicture(Exports& exports) {
  exports.size = isVisible() ? calibration_->parentWidget()->size() : QSize(1000, 640);
  exports.draw = [this, size = exports.size](QPainter& painter) {
    const QSize quarter = size / 2;
    const std::array<SeriesPlot*, 4> plots{calibration_, recall_, chance_, improvement_};
    for (std::size_t i = 0; i < plots.size(); ++i) {
      painter.save();
      painter.translate((i % 2) * quarter.width(), i < 2 ? 0 : quarter.height());
      plots[i]->drawPicture(painter, quarter);
      painter.restore();
    }
  };
}

} // namespace nestwright::ui

#include "moc_learning_page.cpp"
