#include "ui/recombination/recombination_export.h"

#include "ui/kit/text.h"
#include "ui/recombination/recombination_control.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace nestwright::ui {
namespace {

QString milliseconds(double seconds) {
  return std::isfinite(seconds) ? QString::number(seconds * 1e3, 'g', 9) : QString();
}

QStringList rowOf(const SampleRow& sample, const RecombinationControl& control) {
  const RecombinationSummary& summary = control.recombination().summary;
  const double seconds = secondsOf(sample);
  QStringList row{QString::number(sample.sample),
                  isBaseline(sample)                              ? tr("per-task bests")
                  : summary.winner == sample.sample               ? tr("winner")
                  : control.recombination().isKept(sample.sample) ? tr("kept")
                                                                  : tr("combination"),
                  qs(nestwright::name(sample.verdict)),
                  milliseconds(seconds),
                  std::isfinite(seconds)
                      ? QString::number(100 * (seconds / summary.baselineSeconds - 1), 'g', 4)
                      : QString(),
                  QString::number(sample.seconds.size()),
                  qs(sample.error).section('\n', 0, 0)};
  for (std::size_t i = 0;
       i < control.recombination().state.candidates.size() && i < sample.choice.size(); ++i) {
    const auto& programs = control.recombination().state.candidates[i].programs;
    row.append(QString::number(programs[static_cast<std::size_t>(sample.choice[i])].record));
  }
  return row;
}

} // namespace

ExportTable sampleTable(const RecombinationControl& control) {
  ExportTable table;
  table.headers = {tr("sample"),      tr("kind"),    tr("verdict"), tr("latency, ms"),
                   tr("to bests, %"), tr("repeats"), tr("error")};
  for (const TaskCandidates& task : control.recombination().state.candidates)
    table.headers.append(tr("record of %1").arg(taskTitle(task.name)));
  auto rows = std::make_shared<std::vector<QStringList>>();
  for (const SampleRow& sample : control.recombination().samples)
    rows->push_back(rowOf(sample, control));
  table.rows = [rows](const std::function<bool(const QStringList&)>& row) {
    for (const QStringList& cells : *rows)
      if (!row(cells)) return;
  };
  return table;
}

} // namespace nestwright::ui
