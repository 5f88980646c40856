#include "ui/roofline/roofline_view.h"

#include "core/target/bandwidth.h"
#include "ui/charts/point_figures.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/notices.h"
#include "ui/document/program_drag.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/roofline/roofline_plot.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kRefreshMilliseconds = 1000; // of a running session

/// Records by task, as viewState() has them; what cannot be understood is left out.
std::map<RowId, std::set<RowId>> droppedIn(const nlohmann::json& state) {
  std::map<RowId, std::set<RowId>> dropped;
  const auto found = state.find("dropped");
  if (found == state.end() || !found->is_array()) return dropped;
  for (const nlohmann::json& one : *found) {
    const auto isNumber = [](const nlohmann::json& value) { return value.is_number_integer(); };
    if (!one.is_object() || !isNumber(one.value("task", nlohmann::json()))) continue;
    const nlohmann::json records = one.value("records", nlohmann::json());
    if (!records.is_array() || records.empty() || !std::ranges::all_of(records, isNumber)) continue;
    dropped[one["task"].get<RowId>()] = records.get<std::set<RowId>>();
  }
  return dropped;
}

/// "38.2 GB/s", and what it was before.
QString measuredText(double bytesPerSecond, double before) {
  return before > 0 ? RooflineView::tr("%1 (before: %2)")
                          .arg(bandwidthText(bytesPerSecond), bandwidthText(before))
                    : bandwidthText(bytesPerSecond);
}

} // namespace

RooflineView::RooflineView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), plot_(new RooflinePlot(this)),
      traffic_(new QComboBox(this)), measure_(new QPushButton(tr("Measure memory"), this)),
      measured_(new QLabel(this)), note_(new QLabel(this)),
      clear_(flatButton(this, tr("Clear dropped"),
                        tr("Lets go of the records that were dragged "
                           "here."))) {
  setAcceptDrops(true);
  setAccessibleName(tr("Roofline"));
  traffic_->addItems({{}, {}, {}});
  nameTraffic();
  traffic_->setAccessibleName(tr("Which bytes count"));
  measure_->setToolTip(tr("Measures how fast this machine's memory is, in half a second: the slope "
                          "of the roof. Not while a session is running, whose measurements it "
                          "would disturb."));
  measured_->setToolTip(tr("What the last measurement of the memory gave."));
  measured_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setTextFormat(Qt::PlainText);
  note_->setWordWrap(true);
  note_->setMinimumWidth(1);
  note_->setContentsMargins(8, 0, 8, 4);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(traffic_);
  bar->addStretch();
  bar->addWidget(clear_);
  bar->addWidget(measured_);
  bar->addWidget(measure_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(note_);
  layout->addWidget(plot_, 1);
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &RooflineView::ask);
  connect(traffic_, &QComboBox::currentIndexChanged, this, &RooflineView::refresh);
  connect(measure_, &QPushButton::clicked, this, &RooflineView::measureBandwidth);
  connect(plot_, &RooflinePlot::picked, this, &RooflineView::pick);
  connect(plot_, &RooflinePlot::dragged, this,
          [this](RowId record) { dragPrograms(plot_, {refOf(record)}); });
  connect(clear_, &QToolButton::clicked, this, [this] {
    dragged_.erase(roofline_.task);
    stale_ = true;
    ask();
  });
  connect(plot_, &RooflinePlot::opened, this, [this](RowId record) {
    pick(record);
    Q_EMIT programOpened();
  });
  connect(&background_, &Background::progress, this, [this](const QString& what) {
    if (roofline_.points.empty()) plot_->showMessage(what);
  });
  connect(&document, &Document::stateChanged, this, [this] {
    // A replay that ends reads the same file again.
    if (std::exchange(path_, document_.file().path()) != document_.file().path()) dragged_.clear();
    roofline_ = {};
    if (document_.state() != DocumentState::Ready) background_.leave();
    schedule();
  });
  connect(&document.follower(), &SessionFollower::historyChanged, this, &RooflineView::schedule);
  connect(&document.follower(), &SessionFollower::jumped, this, &RooflineView::schedule);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &RooflineView::refresh);
  connect(&document.selection(), &SharedSelection::changed, this, [this] {
    if (document_.selection().current().task == roofline_.task) return refresh();
    stale_ = true;
    ask();
  });
  connect(&document.notes(), &NoteBook::changed, plot_,
          [this] { plot_->setNotes(document_.notes().all()); });
  connect(&Theme::instance(), &Theme::changed, this, &RooflineView::restyle);
  restyle();
}

void RooflineView::restyle() {
  note_->setFont(smallFont());
}

void RooflineView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

void RooflineView::schedule() {
  stale_ = true;
  if (isVisible() && !timer_.isActive())
    timer_.start(document_.session().isRunning() ? kRefreshMilliseconds : 50);
}

void RooflineView::showNothing(const QString& why) {
  roofline_ = {};
  background_.cancel();
  plot_->showMessage(why);
  refresh();
}

void RooflineView::ask() {
  if (!isVisible() || !stale_) return;
  stale_ = false;
  if (document_.state() != DocumentState::Ready)
    return showNothing(tr("The roofline is shown once a document is open."));
  RooflineQuery query;
  if (document_.follower().scope() == Scope::ThisSession)
    query.session = document_.session().row().id;
  query.task = document_.selection().current().task;
  query.newest = document_.replayMode().newestRecord();
  query.marks = document_.replayMode().otherMarks();
  if (query.task == 0) return showNothing(tr("Select a task to see what limits its programs."));
  if (const TaskHistory* task = document_.session().history().find(query.task))
    for (const BestPoint& best : task->bests)
      query.bests.push_back(best.record);
  if (const auto dragged = dragged_.find(query.task); dragged != dragged_.end())
    for (const RowId record : dragged->second)
      if (record <= query.newest) query.dragged.push_back(record);
  if (roofline_.task != query.task) {
    roofline_ = {};
    plot_->showMessage(tr("Reading the programs …"));
  }
  background_.ask<Roofline>(
      [store = background_.connection(), cache = cache_, path = document_.file().path(),
       query](const Job& job) {
        return readRoofline(store->at(path), query, *cache, [&](std::size_t done, std::size_t all) {
          job.check();
          job.tell(tr("Estimating what %1 of %2 programs move …")
                       .arg(countText(static_cast<std::int64_t>(all - done)))
                       .arg(countText(static_cast<std::int64_t>(all))));
        });
      },
      [this](Roofline roofline) { take(std::move(roofline)); },
      [this](const QString& why) { showNothing(why); });
}

void RooflineView::take(Roofline roofline) {
  roofline_ = std::move(roofline);
  refresh();
}

/// A GPU has other levels than a processor.
void RooflineView::nameTraffic() {
  const bool gpu = roofline_.roofs.isGpu;
  const QStringList names =
      gpu ? QStringList{tr("bytes from memory"), tr("bytes from L2"),
                        tr("bytes from shared memory")}
          : QStringList{tr("bytes from memory"), tr("bytes into L2"), tr("bytes into L1")};
  for (int i = 0; i < kTrafficKinds; ++i)
    traffic_->setItemText(i, names[i]);
  traffic_->setToolTip(
      gpu ? tr("Bytes that come from the GPU's memory, that its multiprocessors get from the "
               "second-level cache, or that threads get from shared memory: estimated from the "
               "program as it is executed.")
          : tr("Bytes moved from memory into the last-level cache, or on into the second or first "
               "level: estimated from the program as it is executed and the sizes of the caches."));
}

double RooflineView::bandwidth() const {
  const auto kind = static_cast<std::size_t>(std::max(0, traffic_->currentIndex()));
  if (roofline_.roofs.isGpu) return roofline_.roofs.bandwidths[kind];
  // What moves between the caches of a processor has roofs that we do not know.
  return static_cast<Traffic>(kind) == Traffic::Memory ? Settings::bandwidth(roofline_.target) : 0;
}

void RooflineView::refresh() {
  const bool known = roofline_.task != 0;
  nameTraffic();
  measure_->setVisible(!roofline_.roofs.isGpu); // whose memory's speed its facts tell
  enableUnless(measure_, whyNotMeasure());
  clear_->setVisible(dragged_.contains(roofline_.task));
  measure_->setText(measuring_ ? tr("Measuring …") : tr("Measure memory"));
  measured_->setText(measuredText_);
  measured_->setVisible(measure_->isVisibleTo(this) && !measuredText_.isEmpty());
  note_->setText(known ? noteText() : QString());
  note_->setVisible(!note_->text().isEmpty());
  if (!known) return;
  if (roofline_.points.empty())
    plot_->showMessage(tr("No program of this task has run yet. Start the session to see how near "
                          "its programs come to the roof."));
  else
    plot_->show(roofline_, static_cast<Traffic>(std::max(0, traffic_->currentIndex())), bandwidth(),
                document_.selection().current().record);
}

QString RooflineView::whyNotMeasure() const {
  if (measuring_) return tr("The memory is being measured.");
  if (roofline_.task == 0) return tr("No roofline is shown.");
  if (!roofline_.here)
    return tr("The session's programs are for another machine (%1).").arg(qs(roofline_.targetText));
  if (document_.isTuned())
    return tr("The session is running, and its measurements would be disturbed: pause it first.");
  return {};
}

QString RooflineView::noteText() const {
  QString text;
  if (roofline_.roofs.isGpu) {
    if (bandwidth() <= 0)
      text = tr("The records do not say which GPU they are of (%1): its roofs are not known.")
                 .arg(qs(roofline_.targetText));
  } else if (Settings::bandwidth(roofline_.target) <= 0)
    text = roofline_.here
               ? tr("How fast the memory is has not been measured: the roof has no slope yet. "
                    "“Measure memory” does it in half a second.")
               : tr("How fast the memory of this session's machine is, is not known (%1): the roof "
                    "has no slope.")
                     .arg(qs(roofline_.targetText));
  else if (traffic_->currentIndex() > 0)
    text = tr("Bytes between caches: how fast those are is not known, so the roof is flat.");
  if (const FilteredRecords& listed = plot_->listed(); listed.has) {
    std::vector<double> seconds;
    for (const RooflinePoint& point : roofline_.points)
      if (listed.lists(point.record)) seconds.push_back(point.seconds);
    text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
            tr("Listed by %1: %2.").arg(listed.filter, pointFigures(std::move(seconds), 0));
  }
  if (roofline_.left > 0)
    text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
            countedText(roofline_.left, tr("A program is left out, which cannot be lowered here."),
                        tr("%1 programs are left out, which cannot be lowered here."));
  return text;
}

QString RooflineView::note() const {
  return note_->text();
}

void RooflineView::measureBandwidth() {
  measuring_ = true;
  measuredText_.clear();
  refresh();
  bandwidth_.ask<double>([](const Job&) { return nestwright::measureBandwidth(); },
                         [this, target = roofline_.target](double bytesPerSecond) {
                           measuring_ = false;
                           const double before = Settings::bandwidth(target);
                           Settings::setBandwidth(target, bytesPerSecond);
                           measuredText_ = measuredText(bytesPerSecond, before);
                           refresh();
                         },
                         [this](const QString& why) {
                           measuring_ = false;
                           measuredText_ = tr("Not measured: %1").arg(why);
                           refresh();
                         });
}

ProgramRef RooflineView::refOf(RowId record) const {
  ProgramRef program;
  program.file = document_.file().path();
  program.task = roofline_.task;
  program.record = record;
  return program;
}

void RooflineView::dragEnterEvent(QDragEnterEvent* event) {
  if (programFrom(event->mimeData())) event->acceptProposedAction();
}

void RooflineView::dropEvent(QDropEvent* event) {
  Selection shown;
  for (const ProgramRef& program : programsFrom(event->mimeData())) {
    const TaskEntry* task =
        program.file == document_.file().path() ? document_.session().task(program.task) : nullptr;
    if (task == nullptr) continue;
    const RowId record = program.record != 0 ? program.record : task->summary.bestRecord;
    if (record == 0 || program.naive) continue;
    if (shown.task == 0) shown = {program.task, record};
    dragged_[program.task].insert(record);
  }
  event->acceptProposedAction();
  if (shown.task == 0) {
    document_.notices().warn(tr("Only programs that were measured in this session can be shown "
                                "under its roof."));
    return;
  }
  stale_ = true;
  document_.selection().select(shown);
  ask();
}

void RooflineView::setListed(const FilteredRecords& listed) {
  plot_->setListed(listed);
  refresh();
}

void RooflineView::pick(RowId record) {
  if (roofline_.task != 0) document_.selection().select({roofline_.task, record});
}

Exports RooflineView::exports() {
  Exports exports;
  const TaskEntry* task = document_.session().task(roofline_.task);
  exports.name = QStringLiteral("roofline");
  exports.title = task
                      ? tr("Roofline of T%1 %2").arg(task->row.index).arg(taskTitle(task->row.name))
                      : tr("Roofline");
  plot_->exportPicture(exports);
  ExportTable table;
  table.headers = {tr("record"),
                   tr("trial"),
                   tr("latency (ms)"),
                   tr("GFLOP/s"),
                   tr("from memory (bytes)"),
                   roofline_.roofs.isGpu ? tr("from L2 (bytes)") : tr("into L2 (bytes)"),
                   roofline_.roofs.isGpu ? tr("from shared memory (bytes)") : tr("into L1 (bytes)"),
                   tr("fastest in its time")};
  table.rows = [roofline = roofline_](const std::function<bool(const QStringList&)>& row) {
    for (const RooflinePoint& point : roofline.points)
      if (!row({QString::number(point.record), QString::number(point.trial),
                QString::number(point.seconds * 1e3, 'g', 8),
                QString::number(roofline.flops / point.seconds / 1e9, 'g', 8),
                QString::number(point.bytes[0], 'g', 6), QString::number(point.bytes[1], 'g', 6),
                QString::number(point.bytes[2], 'g', 6), point.best ? tr("yes") : tr("no")}))
        return;
  };
  table.recordColumn = 0;
  exports.table = std::move(table);
  return exports;
}

nlohmann::json RooflineView::viewState() const {
  nlohmann::json dropped = nlohmann::json::array();
  for (const auto& [task, records] : dragged_)
    dropped.push_back({{"task", task}, {"records", records}});
  return {{"traffic", traffic_->currentIndex()}, {"dropped", std::move(dropped)}};
}

void RooflineView::restoreViewState(const nlohmann::json& state) {
  traffic_->setCurrentIndex(std::clamp(storedValue(state, "traffic", 0), 0, kTrafficKinds - 1));
  dragged_ = droppedIn(state);
  stale_ = true;
  ask();
}

} // namespace nestwright::ui

#include "moc_roofline_view.cpp"
