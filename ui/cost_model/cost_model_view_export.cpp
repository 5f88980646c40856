#include "ui/cost_model/cost_model_view.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/cost_model/quality_plot.h"
#include "ui/cost_model/waterfall_plot.h"
#include "ui/document/document.h"
#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <limits>

namespace nestwright::ui {
namespace {

using Rows = std::vector<QStringList>;

} // namespace

ExportTable CostModelView::predictionTable() const {
  const QStringList headers{tr("record"),
                            tr("trial"),
                            tr("round"),
                            tr("task"),
                            tr("picked"),
                            tr("predicted (share of fastest)"),
                            tr("measured (share of fastest)"),
                            tr("latency (ms)")};
  Rows rows;
  for (const PredictedProgram* program :
       history_.predictions().between(0, std::numeric_limits<int>::max(), scope()))
    rows.push_back(
        {QString::number(program->record), QString::number(program->trial),
         QString::number(program->round), taskName(program->task),
         program->exploring ? tr("at random") : tr("for its score"),
         QString::number(program->predicted, 'g', 8), QString::number(program->share, 'g', 8),
         program->failed() ? tr("failed") : QString::number(program->seconds * 1e3, 'g', 8)});
  return tableOfRows(headers, std::move(rows), 0);
}

ExportTable CostModelView::rankingTable() const {
  const QStringList headers{tr("round"),
                            tr("task"),
                            tr("programs"),
                            tr("pairs in order"),
                            tr("rank correlation"),
                            tr("recall of %1").arg(bestCount())};
  Rows rows;
  for (const RoundQuality& round : quality_)
    rows.push_back({QString::number(round.round), taskName(round.task),
                    QString::number(round.programs), QString::number(round.accuracy, 'g', 6),
                    QString::number(round.correlation, 'g', 6),
                    QString::number(round.recall, 'g', 6)});
  return tableOfRows(headers, std::move(rows));
}

ExportTable CostModelView::partsTable() const {
  const QStringList headers{tr("feature"), tr("added to the score"), tr("what it counts")};
  Rows rows;
  if (model_.score) {
    rows.push_back(
        {tr("before anything is known"), QString::number(model_.score->bias, 'g', 8), QString()});
    for (const ScorePart& part : model_.score->parts)
      rows.push_back({part.name, QString::number(part.added, 'g', 8), part.meaning});
    rows.push_back({tr("score"), QString::number(model_.score->score, 'g', 8), QString()});
  }
  return tableOfRows(headers, std::move(rows));
}

Exports CostModelView::exports() {
  Exports exports;
  const auto picture = [&exports](QCustomPlot* plot) {
    exports.size = plot->isVisible() ? plot->size() : QSize(900, 540);
    exports.draw = [plot, size = exports.size](QPainter& painter) {
      drawPlot(*plot, painter, size);
    };
  };
  const QString of = qs(document_.session().contents().network);
  switch (page()) {
  case Page::Predictions:
    exports.name = QStringLiteral("predictions");
    exports.title = tr("Predicted against measured, round %1 of %2").arg(round_).arg(of);
    exports.text = summary();
    exports.table = predictionTable();
    picture(predictionPlot_);
    break;
  case Page::Ranking:
    exports.name = QStringLiteral("ranking-over-rounds");
    exports.title = tr("Ranking by the cost model of %1").arg(of);
    exports.table = rankingTable();
    picture(qualityPlot_);
    break;
  case Page::Features:
    exports = seenOf(this);
    exports.name = QStringLiteral("feature-importance");
    exports.title = tr("Features in the cost model of %1").arg(of);
    exports.table = tableOf(importanceTable_);
    break;
  case Page::Explanation:
    exports.name = QStringLiteral("score-explanation");
    exports.title = scoreNote_->text();
    exports.table = partsTable();
    picture(waterfall_);
    break;
  }
  return exports;
}

nlohmann::json CostModelView::viewState() const {
  return {{"page", pages_->currentIndex()},
          {"before", before_->currentIndex()},
          {"layout", layouts_->currentIndex()},
          {"best", best_->currentIndex()},
          {"allTasks", allTasks_->isChecked()}};
}

void CostModelView::restoreViewState(const nlohmann::json& state) {
  const auto number = [&](const char* key, int count, int byDefault) {
    const auto found = state.find(key);
    return found != state.end() && found->is_number_integer()
               ? std::clamp(found->get<int>(), 0, count - 1)
               : byDefault;
  };
  pages_->setCurrentIndex(number("page", pages_->count(), 0));
  before_->setCurrentIndex(number("before", before_->count(), 1));
  layouts_->setCurrentIndex(number("layout", layouts_->count(), 0));
  best_->setCurrentIndex(number("best", best_->count(), 2));
  const auto all = state.find("allTasks");
  allTasks_->setChecked(all != state.end() && all->is_boolean() && all->get<bool>());
}

std::vector<PaletteItem> CostModelView::paletteItems(const QString&) {
  std::vector<PaletteItem> items;
  const auto add = [&](const QString& title, Page page) {
    items.push_back({title, tr("Command"), {}, [this, page] { showPage(page); }});
  };
  add(tr("Cost Model: Predicted against Measured"), Page::Predictions);
  add(tr("Cost Model: Ranking over Rounds"), Page::Ranking);
  add(tr("Cost Model: Feature Importance"), Page::Features);
  add(tr("Cost Model: Explain the Selected Program's Score"), Page::Explanation);
  return items;
}

} // namespace nestwright::ui
