#include "ui/records/record_statistics.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/records/latency_histogram.h"
#include "ui/records/record_figures.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

QString tipOf(const QString& name) {
  if (name == RecordStatisticsView::tr("spread"))
    return RecordStatisticsView::tr("Standard deviation divided by the mean.");
  if (name == RecordStatisticsView::tr("middle half"))
    return RecordStatisticsView::tr(
        "A quarter of the records is faster than this range, a quarter slower.");
  return {};
}

/// The figures as pairs of name and value, for the view and the clipboard.
std::vector<std::pair<QString, QString>> figureLines(const RecordStatistics& figures) {
  using View = RecordStatisticsView;
  std::vector<std::pair<QString, QString>> lines;
  lines.emplace_back(View::tr("records"), countText(figures.records));
  lines.emplace_back(View::tr("with a time"), countText(figures.measured));
  if (figures.measured == 0) return lines;
  lines.emplace_back(View::tr("fastest"), timeText(figures.best));
  lines.emplace_back(View::tr("median"), timeText(figures.median));
  lines.emplace_back(View::tr("mean"), timeText(figures.mean));
  lines.emplace_back(
      View::tr("middle half"),
      View::tr("%1 … %2").arg(timeText(figures.lowQuartile), timeText(figures.highQuartile)));
  lines.emplace_back(View::tr("slowest"), timeText(figures.worst));
  lines.emplace_back(View::tr("spread"), percentText(figures.deviation / figures.mean));
  return lines;
}

} // namespace

RecordStatisticsView::RecordStatisticsView(RecordFigures& figures, QWidget* parent)
    : QWidget(parent), figures_(figures), histogram_(new LatencyHistogram(this)),
      title_(new QLabel(this)), figuresText_(new QLabel(this)) {
  title_->setContentsMargins(8, 5, 8, 3);
  figuresText_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  figuresText_->setContentsMargins(8, 2, 8, 6);
  figuresText_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  figuresText_->setAccessibleName(tr("Figures of the records"));
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(figuresText_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(title_);
  layout->addWidget(histogram_, 3);
  layout->addWidget(scroll, 4);
  connect(&figures, &RecordFigures::statisticsChanged, this, &RecordStatisticsView::refresh);
  connect(figuresText_, &QLabel::linkActivated, this, &RecordStatisticsView::errorChosen);
  connect(&Theme::instance(), &Theme::changed, this, &RecordStatisticsView::refresh);
  refresh();
}

void RecordStatisticsView::refresh() {
  const auto& figures = figures_.statistics();
  if (!figures) {
    // The last figures stay, dimmed by the title, until the next ones are there.
    title_->setText(figures_.problem().isEmpty() ? tr("Reading …") : figures_.problem());
    return;
  }
  title_->setText(figures_.isOfChosen()
                      ? tr("%1 selected records").arg(countText(figures->records))
                      : tr("All %1 records listed").arg(countText(figures->records)));
  histogram_->show(&*figures, figures->records == 0 ? tr("no records") : tr("none has a time"));
  const Colours& c = colours();
  figuresText_->setFont(smallFont());
  QString html = QStringLiteral("<table cellspacing=0 cellpadding=1>");
  const auto row = [&](const QString& name, const QString& value) {
    html += QStringLiteral("<tr><td style=\"color:%1\">%2&nbsp;&nbsp;</td><td align=right>%3</td>"
                           "</tr>")
                .arg(c.dim.name(), name, value);
  };
  for (const auto& [name, value] : figureLines(*figures))
    row(name, value);
  for (const VerdictCount& count : figures->verdicts) {
    if (count.verdict == Verdict::Ok) continue;
    QString word = qs(name(count.verdict));
    const QString link =
        QStringLiteral("<a style=\"color:%1\" href=\"%2\">%3</a>")
            .arg(c.failed.name(), QString(word).replace(QLatin1Char(' '), QLatin1Char('-')), word);
    row(link, tr("%1 · %2").arg(countText(count.records),
                                percentText(double(count.records) /
                                            double(std::max<std::int64_t>(1, figures->records)))));
  }
  figuresText_->setText(html + QStringLiteral("</table>"));
  QStringList tips;
  for (const auto& [name, value] : figureLines(*figures))
    if (const QString tip = tipOf(name); !tip.isEmpty())
      tips.append(name + QStringLiteral(": ") + tip);
  tips.append(tr("An error kind: click it to see only those."));
  figuresText_->setToolTip(tips.join(QLatin1Char('\n')));
}

ExportTable RecordStatisticsView::table() const {
  std::vector<QStringList> rows;
  if (const auto& figures = figures_.statistics()) {
    for (const auto& [name, value] : figureLines(*figures))
      rows.push_back({name, value});
    for (const VerdictCount& count : figures->verdicts)
      rows.push_back({qs(name(count.verdict)), countText(count.records)});
  }
  return tableOfRows({tr("figure"), tr("value")}, std::move(rows));
}

QString RecordStatisticsView::text() const {
  if (!figures_.statistics()) return {};
  QStringList lines;
  for (const auto& [name, value] : figureLines(*figures_.statistics()))
    lines.append(name + QLatin1Char('\t') + value);
  for (const VerdictCount& count : figures_.statistics()->verdicts)
    lines.append(qs(name(count.verdict)) + QLatin1Char('\t') + countText(count.records));
  return lines.join(QLatin1Char('\n'));
}

} // namespace nestwright::ui

#include "moc_record_statistics.cpp"
