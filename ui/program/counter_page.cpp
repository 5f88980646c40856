#include "ui/program/counter_page.h"

#include "core/record/store/store.h"
#include "core/session/insight/count_record.h"
#include "core/support/units.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/exportable.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/table/column_titles.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

QString joulesText(double joules) {
  return qs(formatEnergy(joules));
}

QString valueOf(const CountFigure& figure) {
  const double value = *figure.value;
  switch (figure.kind) {
  case CountFigureKind::Clock:
    return frequencyText(value);
  case CountFigureKind::MissedBytes:
    return bytesText(value);
  case CountFigureKind::MissedOverLeast:
    return factorText(value);
  case CountFigureKind::BranchMissRate:
    return percentText(value);
  case CountFigureKind::JoulesPerRun:
  case CountFigureKind::JoulesAboveIdle:
    return joulesText(value);
  case CountFigureKind::FlopsPerJoule:
    return CounterPage::tr("%1/J").arg(flopsText(value));
  default:
    return figureText(value);
  }
}

/// What it tells, and which way is better.
QString meaningOf(CountFigureKind kind) {
  switch (kind) {
  case CountFigureKind::InstructionsPerCycle:
    return CounterPage::tr("Higher is better: below 1 the cores mostly wait, for memory or for one "
                           "another's results.");
  case CountFigureKind::FlopsPerCycle:
    return CounterPage::tr("Of the task's own operations, a cycle of one core. Higher is better; "
                           "two vector units that multiply and add make 16 with 128-bit vectors, "
                           "32 with AVX2, 64 with AVX-512.");
  case CountFigureKind::Clock:
    return CounterPage::tr("How fast the cores ran while they worked for the program.");
  case CountFigureKind::BusyCores:
    return CounterPage::tr("Processor time over time: how many cores worked on average. Fewer than "
                           "the kernel has threads: some wait for others.");
  case CountFigureKind::L1MissesPerThousand:
    return CounterPage::tr("Loads that did not find their data in L1. Lower is better.");
  case CountFigureKind::CacheMissesPerThousand:
    return CounterPage::tr("Accesses that the last counted cache did not have: L3 on Intel's "
                           "processors, L2 on AMD's. Lower is better.");
  case CountFigureKind::MissedBytes:
    return CounterPage::tr("64 bytes for each of them, a run. What is fetched ahead of its use is "
                           "not counted as a miss by most processors, so more may have moved.");
  case CountFigureKind::MissedOverLeast:
    return CounterPage::tr("Those bytes beside the task's inputs and outputs, which no program can "
                           "do without. Near 1, or less where they stay in the cache from run to "
                           "run: nothing is fetched twice.");
  case CountFigureKind::BranchMissRate:
    return CounterPage::tr("Of all branches. Lower is better; loops are predicted nearly always.");
  case CountFigureKind::JoulesPerRun:
    return CounterPage::tr("Of the whole processor and what else ran on it, its idling included.");
  case CountFigureKind::JoulesAboveIdle:
    return CounterPage::tr(
        "Without what the processor took in 0.2 s of rest before the kernel ran.");
  case CountFigureKind::FlopsPerJoule:
    return CounterPage::tr("The task's operations for the whole energy. Higher is better.");
  }
  return {};
}

QString countOf(const CounterReading& reading) {
  if (reading.counter == Counter::TaskClock) return timeText(*reading.perRun * 1e-9);
  return *reading.perRun < 1000 ? figureText(*reading.perRun)
                                : countText(std::llround(*reading.perRun));
}

} // namespace

CounterPage::CounterPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), state_(new QLabel(this)),
      button_(new QToolButton(this)), figures_(new QStandardItemModel(this)),
      counters_(new QStandardItemModel(this)) {
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  state_->setAccessibleName(tr("How it was counted"));
  button_->setText(tr("Count"));
  button_->setToolTip(tr("Runs the program on this machine, for 0.3 s, while the "
                         "processor counts. Nothing of it is stored."));
  figureTable_ = table(figures_, tr("What follows from the counts"));
  counterTable_ = table(counters_, tr("Counters"));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(state_, 1);
  bar->addWidget(button_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(figureTable_);
  split->addWidget(counterTable_);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(split, 1);
  connect(button_, &QToolButton::clicked, this, &CounterPage::count);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &CounterPage::refreshState);
  connect(&document.replayMode(), &ReplayMode::changed, this, &CounterPage::refreshState);
  // Another file may be there next, also under the same name.
  connect(&document, &Document::leaving, this, [this] {
    stop();
    counts_.clear();
    refresh();
  });
  connect(&counting_, &Background::busyChanged, this, &CounterPage::refreshState);
  connect(&Theme::instance(), &Theme::changed, this, &CounterPage::refresh);
  refresh();
}

CounterPage::~CounterPage() {
  stop();
}

QTableView* CounterPage::table(QStandardItemModel* model, const QString& name) {
  auto* table = new QTableView(this);
  table->setModel(model);
  table->setAccessibleName(name);
  setUpTable(table);
  return table;
}

void CounterPage::stop() {
  *stopped_ = true; // the worker's, too
  counting_.cancel();
  stopped_ = std::make_shared<std::atomic<bool>>(false);
}

void CounterPage::clear() {
  stop();
  program_ = {0, 0};
  refused_.clear();
  refresh();
}

void CounterPage::show(const ProgramText& program) {
  const Key key{program.task, program.record};
  onGpu_ = program.target.gpu.has_value();
  isKnown_ = !program.taskDag.isEmpty();
  if (key != program_) {
    stop();
    refused_.clear();
    program_ = key;
    file_ = document_.file().path();
  }
  refresh();
}

void CounterPage::showCounts(const ProgramCounts& counts) {
  counts_[program_] = counts;
  refresh();
}

const ProgramCounts* CounterPage::shown() const {
  const auto found = counts_.find(program_);
  return found == counts_.end() || program_.first == 0 ? nullptr : &found->second;
}

QString CounterPage::whyNotCount() const {
  if (program_.first == 0) return tr("Select a program to count it.");
  if (onGpu_)
    return tr("The counters are the processor's, and this program is one for a GPU. Its maker's "
              "profiler counts there: ncu.");
  if (!isKnown_)
    return tr("Nobody told what the task computes, so that its programs cannot be run.");
  if (counting_.isBusy()) return tr("The program is being counted.");
  if (document_.isTuned())
    return tr("A session is running, whose measurements this would disturb. Pause it first.");
  return {};
}

void CounterPage::count() {
  if (!whyNotCount().isEmpty()) return;
  refused_.clear();
  counting_.ask<ProgramCounts>(
      [file = file_.toStdString(), key = program_, stopped = stopped_,
       command = Settings::workerCommand().toStdString()](const Job& job) {
        const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
        const WorkerLaunch launch = workerLaunchFromText(command);
        job.check();
        return key.second != 0 ? countRecord(store, key.second, launch, stopped.get())
                               : countNaive(store, key.first, launch, stopped.get());
      },
      [this](const ProgramCounts& counts) { showCounts(counts); },
      [this](const QString& why) {
        refused_ = why;
        refresh();
      });
  refreshState();
}

QString CounterPage::state() const {
  return state_->text();
}

void CounterPage::refresh() {
  fillFigures();
  fillCounters();
  refreshState();
}

void CounterPage::refreshState() {
  const QString why = whyNotCount();
  QColor colour = colours().text;
  const ProgramCounts* counts = shown();
  if (counting_.isBusy()) {
    state_->setText(tr("Compiling the program, and running it while the processor counts …"));
  } else if (!refused_.isEmpty()) {
    state_->setText(tr("✗ %1").arg(refused_));
    colour = colours().failed;
  } else if (counts) {
    const auto missing = std::ranges::count_if(
        counts->counters, [](const CounterReading& reading) { return !reading.perRun; });
    state_->setText(
        tr("✓ %1 of %2 each on this machine, counted on %3 of the worker%4.")
            .arg(countedText(counts->runs, tr("1 run"), tr("%1 runs")), timeText(counts->seconds),
                 countedText(counts->threads, tr("1 thread"), tr("%1 threads")),
                 missing == 0 ? QString()
                              : tr("; %1 of %2 counters are not to be had here, and say why")
                                    .arg(missing)
                                    .arg(counts->counters.size())));
  } else {
    state_->setText(why.isEmpty()
                        ? tr("Not counted yet. Count runs the program here, while the processor "
                             "counts cycles, instructions and misses.")
                        : why);
  }
  setTextColour(state_, colour);
  button_->setText(counting_.isBusy() ? tr("Counting …") : tr("Count"));
  enableUnless(button_, why);
}

void CounterPage::fillFigures() {
  figures_->setRowCount(0);
  setColumns(
      *figures_,
      {{tr("Figure"), tr("What follows from the counts; each line says what it means.")},
       {tr("Value"), tr("Of one run of the program, all its threads together. Each line says "
                        "which way is better.")},
       {tr("Why not"), tr("The count that is missing where there is no value, and why.")}});
  if (const ProgramCounts* counts = shown())
    for (const CountFigure& figure : figuresOf(*counts)) {
      const QString meaning = meaningOf(figure.kind), why = qs(figure.whyNot);
      auto* note = fixedItem(why, why);
      note->setForeground(colours().dim);
      figures_->appendRow({fixedItem(qs(name(figure.kind)), meaning),
                           fixedItem(figure.value ? valueOf(figure) : noValue(), meaning, true),
                           note});
    }
  alignColumns(*figures_);
  figureTable_->horizontalHeader()->setStretchLastSection(true);
  for (const int column : {Name, Value})
    figureTable_->resizeColumnToContents(column);
}

void CounterPage::fillCounters() {
  counters_->setRowCount(0);
  setColumns(*counters_,
             {{tr("Counter"), tr("What was counted, under the names of Linux's perf; of the "
                                 "program alone, without the system, but for context switches.")},
              {tr("Per run"), tr("Of all threads together, divided by the runs.")},
              {tr("Note"), tr("Why it could not be counted here and what would allow it; or for "
                              "which share of the time it was counted, where the processor has "
                              "fewer counters than are wanted: the count is scaled up.")}});
  const ProgramCounts* counts = shown();
  const auto add = [&](const QString& name, const QString& value, const QString& note) {
    auto* words = fixedItem(note, note);
    words->setForeground(colours().dim);
    counters_->appendRow({fixedItem(name), fixedItem(value, {}, true), words});
  };
  if (counts) {
    for (const CounterReading& reading : counts->counters) {
      const bool scaled = reading.perRun && reading.counted < 0.995;
      add(qs(name(reading.counter)), reading.perRun ? countOf(reading) : noValue(),
          scaled ? tr("counted %1 of the time").arg(percentText(reading.counted))
                 : qs(reading.whyNot));
    }
    const EnergyReading& energy = counts->energy;
    add(tr("energy"), energy.joulesPerRun ? joulesText(*energy.joulesPerRun) : noValue(),
        energy.joulesPerRun ? tr("RAPL: %1").arg(qs(energy.zones)) : qs(energy.whyNot));
    add(tr("power when idle"), energy.idleWatts ? qs(formatPower(*energy.idleWatts)) : noValue(),
        energy.idleWatts ? tr("of the whole processor, in 0.2 s before the runs")
                         : qs(energy.whyNot));
  }
  alignColumns(*counters_);
  counterTable_->horizontalHeader()->setStretchLastSection(true);
  for (const int column : {Name, Value})
    counterTable_->resizeColumnToContents(column);
}

QString CounterPage::text() const {
  return QStringList{state(), tsvOf(tableOf(figureTable_)), tsvOf(tableOf(counterTable_))}.join(
      QLatin1String("\n\n"));
}

} // namespace nestwright::ui

#include "moc_counter_page.cpp"
