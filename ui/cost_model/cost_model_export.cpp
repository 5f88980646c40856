#include "ui/cost_model/cost_model_export.h"

#include "core/story/calibration.h"
#include "ui/document/document.h"
#include "ui/kit/text.h"

#include <limits>

namespace nestwright::ui {
namespace {

using Rows = std::vector<QStringList>;

} // namespace

QString taskName(const Document& document, RowId id) {
  const TaskEntry* task = document.session().task(id);
  return task ? QStringLiteral("T%1 %2").arg(task->row.index).arg(taskTitle(task->row.name))
              : tr("a task");
}

ExportTable predictionTable(const Document& document, const Predictions& predictions, RowId task) {
  const QStringList headers{tr("record"),
                            tr("trial"),
                            tr("round"),
                            tr("task"),
                            tr("picked"),
                            tr("predicted (share of fastest)"),
                            tr("measured (share of fastest)"),
                            tr("latency (ms)"),
                            tr("deviation of the prediction"),
                            tr("expected improvement")};
  const auto orNothing = [](const std::optional<double>& value) {
    return value ? QString::number(*value, 'g', 8) : QString();
  };
  Rows rows;
  for (const PredictedProgram* program :
       predictions.between(0, std::numeric_limits<int>::max(), task))
    rows.push_back(
        {QString::number(program->record), QString::number(program->trial),
         QString::number(program->round), taskName(document, program->task),
         program->exploring ? tr("at random") : tr("for its score"),
         QString::number(program->expected(), 'g', 8), QString::number(program->share, 'g', 8),
         program->failed() ? tr("failed") : QString::number(program->seconds * 1e3, 'g', 8),
         orNothing(program->deviation), orNothing(improvementOf(*program))});
  return tableOfRows(headers, std::move(rows), 0);
}

ExportTable rankingTable(const Document& document, const std::vector<RoundQuality>& rounds,
                         std::size_t best) {
  const QStringList headers{tr("round"),
                            tr("task"),
                            tr("programs"),
                            tr("pairs in order"),
                            tr("rank correlation"),
                            tr("recall of %1").arg(best),
                            tr("ranked by")};
  Rows rows;
  for (const RoundQuality& round : rounds)
    rows.push_back({QString::number(round.round), taskName(document, round.task),
                    QString::number(round.programs), QString::number(round.accuracy, 'g', 6),
                    QString::number(round.correlation, 'g', 6),
                    QString::number(round.recall, 'g', 6), qs(round.ranking)});
  return tableOfRows(headers, std::move(rows));
}

ExportTable partsTable(const std::optional<ScoreStory>& score) {
  const bool steps = score && isBySteps(*score);
  const QStringList headers{steps ? tr("step") : tr("feature"), tr("added to the score"),
                            tr("what it counts")};
  Rows rows;
  if (score) {
    rows.push_back(
        {tr("before anything is known"), QString::number(score->bias, 'g', 8), QString()});
    for (const ScorePart& part : score->parts)
      rows.push_back({part.name, QString::number(part.added, 'g', 8), part.meaning});
    rows.push_back({tr("score"), QString::number(score->score, 'g', 8), QString()});
  }
  return tableOfRows(headers, std::move(rows));
}

} // namespace nestwright::ui
