#include "ui/inspector/configurations_view.h"

#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/knob_plot.h"
#include "ui/inspector/knob_reader.h"
#include "ui/inspector/plan_model.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace nestwright::ui {
namespace {

QString numberOrNone(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? QString::number(*number, 'g', 8) : QString();
}

/// Every configuration, the fastest first.
ExportTable configurationsTable(const KnobLines& lines) {
  QStringList headers{tr("record"), tr("trial"), tr("round"), tr("picked")};
  for (const KnobAxis& axis : lines.knobs)
    headers.append(qs(axis.knob));
  headers << tr("predicted (share of fastest)") << tr("deviation of the prediction")
          << tr("throughput (share of fastest)") << tr("latency (ms)");
  std::vector<QStringList> rows;
  for (auto line = lines.lines.rbegin(); line != lines.lines.rend(); ++line) {
    const KnobTrial& trial = line->trial;
    QStringList row{QString::number(trial.record), QString::number(trial.trial),
                    QString::number(trial.round), reasonInWords(trial.reason)};
    for (std::size_t i = 0; i < lines.knobs.size(); ++i)
      row.append(qs(lines.knobs[i].values[lines.knobs[i].valueAt(line->places[i])]));
    row << numberOrNone(trial.predicted) << numberOrNone(trial.deviation)
        << QString::number(line->share(), 'g', 8)
        << (line->failed() ? tr("failed") : QString::number(trial.seconds * 1e3, 'g', 8));
    rows.push_back(std::move(row));
  }
  return tableOfRows(headers, std::move(rows), 0);
}

} // namespace

ConfigurationsView::ConfigurationsView(Document& document, KnobReader& reader, QWidget* parent)
    : QWidget(parent), document_(document), reader_(reader), note_(new QLabel(this)),
      release_(new QPushButton(tr("Release"), this)), all_(new QCheckBox(tr("All"), this)),
      plot_(new KnobPlot(this)) {
  note_->setWordWrap(true);
  note_->setMinimumWidth(1);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  release_->setToolTip(tr("Release the selected ranges of all axes (Escape)."));
  all_->setToolTip(tr("All decisions in which programs differ, and not only the %1 most important.")
                       .arg(KnobReader::kMostDecisions));
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 6, 8, 2);
  head->addWidget(note_, 1);
  head->addWidget(all_, 0, Qt::AlignTop);
  head->addWidget(release_, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(plot_, 1);

  connect(release_, &QPushButton::clicked, this, [this] {
    plot_->setBrushes({});
    tellBrushed();
  });
  connect(all_, &QCheckBox::toggled, this, [this](bool all) { reader_.setAllDecisions(all); });
  connect(plot_, &KnobPlot::brushesChanged, this, &ConfigurationsView::tellBrushed);
  connect(plot_, &KnobPlot::picked, this, [this](RowId record) {
    document_.selection().select({reader_.task(), record});
  });
  connect(&reader_, &KnobReader::changed, this, &ConfigurationsView::refresh);
  connect(&document.selection(), &SharedSelection::changed, this,
          &ConfigurationsView::followRecord);
  refresh();
}

void ConfigurationsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

QString ConfigurationsView::note() const {
  return note_->text();
}

void ConfigurationsView::setListed(const FilteredRecords& listed) {
  listed_ = listed;
  refresh();
}

void ConfigurationsView::refresh() {
  if (!isVisible()) return;
  plot_->show({knobSubject(document_, reader_.task()), reader_.lines(),
               document_.selection().current().record, listed_, reader_.problem()});
  if (plot_->brushes().empty()) tooMany_.clear();
  refreshNote();
}

/// Many lines are as they were; why there are none may be said otherwise.
void ConfigurationsView::followRecord() {
  if (!isVisible()) return;
  if (reader_.lines()->lines.empty()) return refresh();
  plot_->setSelected(document_.selection().current().record);
}

void ConfigurationsView::refreshNote() {
  const KnobLines& lines = *reader_.lines();
  release_->setVisible(!plot_->brushes().empty() && !lines.lines.empty());
  note_->setVisible(!lines.lines.empty());
  all_->setVisible(reader_.decisions() != nullptr && !lines.lines.empty() &&
                   reader_.decisions()->decisions > KnobReader::kMostDecisions);
  if (lines.lines.empty()) return note_->clear();
  QString text = subjectInWords();
  if (text.isEmpty()) return note_->clear();
  if (const KnobLine* fastest = lines.fastest())
    text += tr(". The fastest: trial %1 with %2")
                .arg(countText(fastest->trial.trial), timeText(fastest->trial.seconds));
  text += QLatin1Char('.');
  if (!plot_->brushes().empty())
    text +=
        tr(" Selected: %1, which %2 of them have.")
            .arg(brushesInWords(), countText(std::ssize(recordsWithin(lines, plot_->brushes()))));
  else
    text += tr(" Drag along an axis to select a range of it.");
  note_->setText(text + tooMany_);
}

QString ConfigurationsView::subjectInWords() const {
  const KnobLines& lines = *reader_.lines();
  const auto failed = std::ranges::count_if(lines.lines, &KnobLine::failed);
  QString text;
  if (const DecisionLines* decisions = reader_.decisions()) {
    text = countedText(std::ssize(lines.lines), tr("1 program of this session"),
                       tr("%1 programs of this session"));
    if (failed > 0) text += tr(", %1 failed").arg(countText(failed));
    if (decisions->unreadable > 0)
      text += tr("; %1 that are no programs are left out")
                  .arg(countText(std::int64_t(decisions->unreadable)));
    if (reader_.isCut()) text += tr("; older ones are left out");
    text +=
        decisions->decisions > lines.knobs.size()
            ? tr(". The %1 most important of the %2 decisions in which they differ")
                  .arg(lines.knobs.size())
                  .arg(decisions->decisions)
            : countedText(std::ssize(lines.knobs), tr(". The one decision in which they differ"),
                          tr(". The %1 decisions in which they differ"));
    return text + (decisions->by == ImportanceBy::Polish
                       ? tr(", most important first; the bars are how much slower or faster a "
                            "neighbour is, which a polish measured")
                       : tr(", most important first; the bars are which share of the variation of "
                            "latency each explains by itself"));
  }
  if (!reader_.taskTemplate()) return {};
  text =
      tr("%1 of the %2 configurations of %3 were measured")
          .arg(countText(std::ssize(lines.lines)), countText(reader_.taskTemplate()->space.size()),
               qs(reader_.taskTemplate()->kind->name));
  if (failed > 0) text += tr(", %1 failed").arg(countText(failed));
  if (lines.foreign > 0)
    text += tr("; %1 of another version are left out").arg(countText(std::int64_t(lines.foreign)));
  if (reader_.isCut()) text += tr("; older ones are left out");
  return text;
}

QString ConfigurationsView::brushesInWords() const {
  const KnobLines& lines = *reader_.lines();
  const auto share = [](double of) { return QStringLiteral("%1 %").arg(100 * of, 0, 'f', 0); };
  QStringList ranges;
  for (const KnobBrush& brush : plot_->brushes()) {
    if (brush.axis >= lines.knobs.size()) {
      ranges.append(tr("throughput from %1 to %2").arg(share(brush.low), share(brush.high)));
      continue;
    }
    const KnobAxis& axis = lines.knobs[brush.axis];
    const auto [first, last] = valuesWithin(lines, brush);
    ranges.append(first == last
                      ? QStringLiteral("%1 = %2").arg(qs(axis.knob), qs(axis.values[first]))
                      : tr("%1 from %2 to %3")
                            .arg(qs(axis.knob), qs(axis.values[first]), qs(axis.values[last])));
  }
  return ranges.join(tr(" and "));
}

/// Released ranges leave the filter as it is: it is the records' own, with an undo of its own.
void ConfigurationsView::tellBrushed() {
  tooMany_.clear();
  const std::vector<RowId> records = recordsWithin(*reader_.lines(), plot_->brushes());
  const auto ranges = rangesOf(records);
  if (!plot_->brushes().empty() && ranges.size() > kMostRanges)
    tooMany_ = tr(" They are too many for a filter of the records; select fewer.");
  refreshNote();
  if (plot_->brushes().empty() || ranges.empty() || ranges.size() > kMostRanges) return;
  FilterCondition condition{FilterField::Record, false, {}};
  for (const auto& [first, last] : ranges) {
    FilterValue value;
    value.low = static_cast<double>(first);
    value.high = static_cast<double>(last);
    condition.values.push_back(value);
  }
  Q_EMIT brushed({condition});
}

Exports ConfigurationsView::exports() {
  Exports exports;
  const bool sketches = reader_.decisions() != nullptr;
  exports.name = sketches ? QStringLiteral("decisions") : QStringLiteral("configurations");
  const TaskEntry* task = document_.session().task(reader_.task());
  exports.title = (sketches ? tr("Measured programs of %1") : tr("Measured configurations of %1"))
                      .arg(task ? taskTitle(task->row.name) : tr("a task"));
  exports.text = note();
  exports.table = configurationsTable(*reader_.lines());
  plot_->exportPicture(exports);
  return exports;
}

} // namespace nestwright::ui

#include "moc_configurations_view.cpp"
