/// What the generations give away: the chart, and every place in every generation as a table.
#include "ui/document/document.h"
#include "ui/inspector/generation_plot.h"
#include "ui/inspector/generations_view.h"
#include "ui/kit/text.h"

#include <QTextDocumentFragment>

#include <cmath>

namespace nestwright::ui {

Exports GenerationsView::exports() {
  if (data_.row.programs.empty()) return seenOf(this);
  Exports exports;
  exports.name = QStringLiteral("generations");
  const TaskEntry* task = document_.session().task(task_);
  exports.title =
      tr("Generations of round %1 of %2")
          .arg(data_.row.round)
          .arg(task ? taskTitle(task->row.name) : qs(document_.session().contents().network));
  exports.size = plot_->isVisible() ? plot_->size() : QSize(900, 540);
  exports.draw = [this, size = exports.size](QPainter& painter) {
    drawPlot(*plot_, painter, size);
  };
  const QStringList headers{
      tr("generation"), tr("rank"),    tr("program"), tr("predicted score"), tr("operation"),
      tr("parents"),    tr("born in"), tr("picked"),  tr("record"),          tr("latency, ms")};
  std::vector<QStringList> rows;
  for (std::size_t g = 0; g < data_.row.generations.size(); ++g)
    for (const EvolvedPlace& place : data_.row.generations[g].places) {
      const auto at = std::size_t(place.program);
      const EvolvedProgram& program = data_.row.programs[at];
      const MeasuredTime& time = data_.measured[at];
      QStringList parents;
      for (const std::string& parent : program.parents)
        parents.append(shortName(parent));
      rows.push_back(
          {QString::number(g), QString::number(place.rank + 1), shortName(program.program),
           std::isfinite(program.score) ? QString::number(program.score, 'g', 8) : QString(),
           qs(program.operation), parents.join(QLatin1Char(' ')), QString::number(program.born),
           program.selected ? tr("yes") : tr("no"),
           time.record ? QString::number(time.record) : QString(),
           time.record && std::isfinite(time.seconds) ? QString::number(time.seconds * 1e3, 'g', 8)
                                                      : QString()});
    }
  constexpr int kRecord = 8;
  exports.table = tableOfRows(headers, std::move(rows), kRecord);
  exports.tableName = tr("Programs of the generations");
  exports.text = QTextDocumentFragment::fromHtml(details()).toPlainText();
  return exports;
}

} // namespace nestwright::ui
