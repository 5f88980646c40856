#include "ui/records/record_details.h"

#include "core/record/format/record_knobs.h"
#include "core/record/store/record_rows.h"
#include "core/support/error.h"
#include "ui/charts/micro_batch_view.h"
#include "ui/document/document.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"
#include "ui/document/words/trace_facts.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace nestwright::ui {
namespace {

/// Numbers stay on a line with their units: the space between them does not break.
QString field(const QString& name, QString value) {
  static const QRegularExpression space(QStringLiteral("(?<=\\d) (?=[%µ×\\p{L}])"));
  value.replace(space, QString(QChar::Nbsp));
  return QStringLiteral("%1  %2\n").arg(name, -15).arg(value);
}

/// The configuration of a template, a knob a line; empty for a record of steps.
QString knobsText(const Record& record) {
  try {
    const QString table = qs(knobTable(recordKnobs(record)));
    return table.isEmpty()
               ? QString()
               : QLatin1Char('\n') + RecordDetails::tr("knobs") + QLatin1Char('\n') + table;
  } catch (const InputError& error) {
    return qs(error.what()) + QLatin1Char('\n');
  }
}

/// How the program came to be; knobs stand in a table of their own.
QString traceText(const Record& record) {
  QString text;
  for (const TraceFact& fact : traceFacts(record))
    if (!fact.isKnob) text += field(fact.name.toLower(), fact.value);
  return text.isEmpty() ? text : QLatin1Char('\n') + text;
}

QString repeatsText(const Record& record) {
  const MeasureResult& result = record.result;
  const std::vector<double>& all = result.seconds;
  if (all.empty()) return {};
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
  QString text = field(RecordDetails::tr("median"), timeText(result.latency()));
  text += field(RecordDetails::tr("min … max"),
                QStringLiteral("%1 … %2").arg(timeText(*low), timeText(*high)));
  text += field(RecordDetails::tr("mean"), timeText(mean));
  text += field(RecordDetails::tr("spread"), percentText(relativeSpread(all)));
  QStringList repeats;
  for (const double seconds : all)
    repeats.append(timeText(seconds));
  text += field(RecordDetails::tr("repeats"), repeats.join(QStringLiteral(", ")));
  if (!record.imported) // which says nothing of them
    text += field(
        RecordDetails::tr("each of"),
        RecordDetails::tr("%1 runs after %2 warm-ups, cache %3")
            .arg(result.runsPerRepeat)
            .arg(result.warmups)
            .arg(result.cacheFlushed ? RecordDetails::tr("flushed") : RecordDetails::tr("kept")));
  if (result.evaluation) text += field(RecordDetails::tr("evaluator"), qs(evaluationText(result)));
  if (const std::string machine = inWords(result.machine); !machine.empty())
    text += field(RecordDetails::tr("machine at"), qs(machine));
  return text;
}

/// Of several measurements of one program: how far they agree.
QString repeatedText(const std::vector<Record>& all) {
  std::vector<double> medians;
  int failed = 0, forgotten = 0;
  for (const Record& record : all) {
    if (record.forgotten)
      ++forgotten;
    else if (record.result.verdict != Verdict::Ok)
      ++failed;
    else
      medians.push_back(record.result.latency());
  }
  QString text =
      field(RecordDetails::tr("measured"), RecordDetails::tr("%1 times in all").arg(all.size()));
  if (!medians.empty()) {
    std::ranges::sort(medians);
    text += field(RecordDetails::tr("medians"),
                  RecordDetails::tr("%1 … %2, median %3, spread %4")
                      .arg(timeText(medians.front()), timeText(medians.back()),
                           timeText(medians[medians.size() / 2]),
                           percentText(relativeSpread(medians))));
  }
  if (failed > 0) text += field(RecordDetails::tr("failed"), QString::number(failed));
  if (forgotten > 0) text += field(RecordDetails::tr("forgotten"), QString::number(forgotten));
  return text + QLatin1Char('\n');
}

} // namespace

QString detailsText(const Record& record) {
  const MeasureResult& result = record.result;
  QString text;
  if (result.verdict == Verdict::Ok) {
    text += repeatsText(record);
    text += field(RecordDetails::tr("verified"),
                  record.verified ? RecordDetails::tr("yes, largest relative error %1")
                                        .arg(result.maxRelativeError, 0, 'g', 3)
                                  : RecordDetails::tr("not checked against the naive program"));
    if (record.implausible)
      text += field(RecordDetails::tr("plausible"),
                    RecordDetails::tr("no: below the physical floor, cannot become best"));
  } else {
    if (result.failingStep >= 0)
      text += field(RecordDetails::tr("failing step"), QString::number(result.failingStep));
    text += qs(result.error).trimmed() + QStringLiteral("\n\n");
  }
  text += field(RecordDetails::tr("build"), timeText(result.buildSeconds));
  text += field(RecordDetails::tr("in kernels"), timeText(result.runSeconds));
  text += field(RecordDetails::tr("measured at"), momentText(result.startedAt));
  text += field(RecordDetails::tr("program"), qs(record.program));
  text += knobsText(record);
  return text + traceText(record);
}

RecordDetails::RecordDetails(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), title_(new QLabel(this)),
      microBatches_(new MicroBatchView(this)), text_(new QPlainTextEdit(this)) {
  text_->setReadOnly(true);
  text_->setAccessibleName(tr("Details of the selected record"));
  text_->document()->setDocumentMargin(8);
  title_->setContentsMargins(8, 5, 8, 3);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(title_);
  layout->addWidget(microBatches_);
  layout->addWidget(text_, 1);
  const auto restyle = [this] { text_->setFont(codeFont()); };
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  connect(&document.selection(), &SharedSelection::changed, this, &RecordDetails::follow);
  connect(&document, &Document::stateChanged, this, &RecordDetails::follow);
  connect(&document.follower(), &SessionFollower::recordsReread, this, &RecordDetails::follow);
  // The record that is shown may just have been measured once more.
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          [this](const std::vector<Event>& events) {
            for (const Event& event : events)
              if (const auto* measured = std::get_if<Measured>(&event);
                  measured && measured->onDemand)
                return follow();
          });
  // In a replay the record comes and goes, and so do measurements of the same program and marks.
  connect(&document.follower(), &SessionFollower::jumped, this, &RecordDetails::follow);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (later_ && !isLater(document_, document_.selection().current().record)) follow();
  });
  follow();
}

QString RecordDetails::text() const {
  return text_->toPlainText();
}

void RecordDetails::follow() {
  const RowId id = document_.selection().current().record;
  if (document_.state() != DocumentState::Ready || !id) {
    document_.reader().cancel(Reader::Channel::RecordDetails);
    later_ = false;
    title_->setText(tr("No record selected"));
    microBatches_->show({});
    text_->clear();
    return;
  }
  later_ = isLater(document_, id);
  if (later_) {
    document_.reader().cancel(Reader::Channel::RecordDetails);
    title_->setText(laterTitle(id));
    microBatches_->show({});
    text_->setPlainText(laterText());
    return;
  }
  using Found = std::pair<std::optional<Record>, std::vector<Record>>;
  document_.reader().ask<Found>(
      this, Reader::Channel::RecordDetails,
      [id, newest = document_.replayMode().newestRecord(),
       marks = document_.replayMode().otherMarks()](const RecordStore& store) {
        Found found(store.records().one(id), store.records().repeatedMeasurements(id));
        auto& [record, repeated] = found;
        std::erase_if(repeated, [&](const Record& one) { return one.id > newest; });
        if (marks && record) marks->apply(*record);
        for (Record& one : repeated)
          if (marks) marks->apply(one);
        return found;
      },
      [this, id](const Found& found) {
        const auto& [record, repeated] = found;
        QString title = record ? tr("Record %1 · trial %2").arg(id).arg(record->trial)
                               : tr("Record %1 is not in the file").arg(id);
        if (record && record->forgotten) title += tr(" · forgotten");
        if (record && record->onDemand) title += tr(" · on demand");
        title_->setText(title);
        microBatches_->show(record ? record->result : MeasureResult());
        const QString again = repeated.size() > 1 ? repeatedText(repeated) : QString();
        text_->setPlainText(record ? again + detailsText(*record) : QString());
      });
}

} // namespace nestwright::ui

#include "moc_record_details.cpp"
