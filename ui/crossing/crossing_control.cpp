#include "ui/crossing/crossing_control.h"

#include "core/record/file/document_file.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/story/crossing_memory.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/text.h"

#include <QUndoStack>

#include <algorithm>
#include <memory>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kRememberMilliseconds = 300;

} // namespace

CrossingControl::CrossingControl(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  remembering_.setSingleShot(true);
  remembering_.setInterval(kRememberMilliseconds);
  connect(&remembering_, &QTimer::timeout, this, &CrossingControl::rememberNow);
  connect(&document, &Document::stateChanged, this, [this] {
    const bool same = document_.state() == DocumentState::Ready &&
                      document_.file().path() == path_ && document_.session().row().id == session_;
    if (!same) clear();
    Q_EMIT changed();
  });
  connect(&document.follower(), &SessionFollower::statusChanged, this, &CrossingControl::changed);
  connect(&document.selection(), &SharedSelection::changed, this, &CrossingControl::changed);
  connect(&document.replayMode(), &ReplayMode::changed, this, &CrossingControl::changed);
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          &CrossingControl::takeEvents);
}

CrossingControl::~CrossingControl() {
  if (remembering_.isActive()) rememberNow();
}

void CrossingControl::clear() {
  if (remembering_.isActive()) rememberNow();
  ++visit_;
  const bool ready = document_.state() == DocumentState::Ready;
  path_ = ready ? document_.file().path() : QString();
  session_ = ready ? document_.session().row().id : 0;
  lab_ = {};
  crossingNow_ = false;
  Q_EMIT crossed();
  if (ready) restore();
}

// --- what is kept in the file

struct CrossingControl::Kept {
  CrossingMemory memory;
  std::vector<CrossingParent> parents;
  std::vector<std::vector<CrossedStep>> steps;
  std::vector<Record> measured;
};

void CrossingControl::restore() {
  auto kept = std::make_shared<Kept>();
  workQueue_.run(
      this,
      [path = path_.toStdString(), session = session_, kept] {
        kept->memory = crossingMemoryFromText(
            nestwright::kept(path, crossingKey(session)).value_or(std::string()));
        const CrossingMemory& memory = kept->memory;
        if (memory.task == 0) return;
        const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
        CrossingConfig config;
        config.session = session;
        config.task = memory.task;
        config.records = memory.parents;
        kept->parents = crossingParents(store, config);
        const ComputeDag dag = parseDag(store.tasks().one(memory.task)->dag);
        std::set<std::string> legal;
        for (const CrossChild& child : memory.children) {
          kept->steps.push_back(crossedSteps(dag, child));
          if (child.outcome == CrossOutcome::Legal) legal.insert(child.programId);
        }
        // A legal one was new when it was crossed: what is known of it now was measured since.
        for (const ProgramRecord& row : store.trials().programRecords(session, memory.task))
          if (legal.contains(row.program))
            if (std::optional<Record> record = store.records().one(row.record))
              kept->measured.push_back(std::move(*record));
      },
      [this, kept, visit = visit_](const QString& error) {
        // A lab that cannot be read begins empty; the records are all there.
        if (visit == visit_ && error.isEmpty() && kept->memory.task != 0 &&
            kept->parents.size() == kept->memory.parents.size())
          adopt(std::move(*kept));
      });
}

void CrossingControl::adopt(Kept kept) {
  CrossingMemory& memory = kept.memory;
  lab_ = {};
  lab_.task = memory.task;
  lab_.parents = std::move(kept.parents);
  lab_.seed = memory.seed;
  lab_.crossing = {lab_.parents, std::move(memory.children), memory.predicted,
                   std::move(memory.unpredicted)};
  lab_.steps = std::move(kept.steps);
  lab_.waiting = std::move(memory.waiting);
  for (const Record& record : kept.measured) {
    lab_.waiting.erase(record.program);
    lab_.measured[record.program] = measuredBy(record);
  }
  Q_EMIT crossed();
  Q_EMIT changed();
}

void CrossingControl::remember() {
  remembering_.start();
}

void CrossingControl::rememberNow() {
  remembering_.stop();
  if (path_.isEmpty()) return;
  CrossingMemory memory{lab_.task,
                        {},
                        lab_.seed,
                        lab_.crossing.predicted,
                        lab_.crossing.unpredicted,
                        lab_.crossing.children,
                        lab_.waiting};
  // Children are of the parents that were there when they were crossed.
  for (const CrossingParent& parent :
       lab_.crossing.children.empty() ? lab_.parents : lab_.crossing.parents)
    memory.parents.push_back(parent.record);
  // A file that cannot be written forgets it, which is no reason to bother anybody.
  workQueue_.run(
      this,
      [memory = std::move(memory), path = path_.toStdString(), key = crossingKey(session_)] {
        keep(path, key, toText(memory));
      },
      [](const QString&) {});
}

CrossingConfig CrossingControl::config() const {
  CrossingConfig config;
  config.session = session_;
  config.task = lab_.task;
  for (const CrossingParent& parent : lab_.parents)
    config.records.push_back(parent.record);
  return config;
}

QString CrossingControl::obstacle() const {
  if (document_.state() != DocumentState::Ready) return tr("There is no document.");
  if (lab_.parents.size() < 2)
    return tr("Crossing takes two programs at least: take the fastest of the selected task, or "
              "drag records here.");
  return {};
}

// --- parents

void CrossingControl::take(RowId task, const std::vector<RowId>& records, int top) {
  if (document_.state() != DocumentState::Ready || task == 0) return;
  Lab lab;
  lab.task = task;
  lab.asked = records;
  lab.top = top;
  lab.reading = true;
  replaceBy(records.empty() ? tr("taking the fastest as parents") : tr("choosing parents to cross"),
            std::move(lab));
}

void CrossingControl::replaceBy(const QString& what, Lab lab) {
  // One of the two is in use, the other one waits to be wanted again.
  auto other = std::make_shared<Lab>(std::move(lab));
  const auto swap = [this, other] { putIn(std::exchange(*other, std::move(lab_))); };
  document_.undoStack().push(new Change(what, swap, swap));
}

void CrossingControl::putIn(Lab lab) {
  ++visit_; // what is on its way was for the one before
  crossingNow_ = false;
  lab_ = std::move(lab);
  if (lab_.reading)
    readParents();
  else
    remember();
  if (!lab_.waiting.empty()) readMeasured();
  Q_EMIT crossed();
  Q_EMIT changed();
}

void CrossingControl::readParents() {
  CrossingConfig wanted = config();
  wanted.records = lab_.asked;
  wanted.top = lab_.top;
  auto parents = std::make_shared<std::vector<CrossingParent>>();
  workQueue_.run(
      this,
      [path = path_.toStdString(), wanted, parents] {
        *parents = crossingParents(RecordStore::open(path, OpenMode::ReadOnly), wanted);
      },
      [this, parents, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        lab_.reading = false;
        lab_.parents = std::move(*parents);
        remember();
        Q_EMIT changed();
        if (!error.isEmpty()) Q_EMIT failed(error);
      });
}

/// What was measured of the crosses while others were in view.
void CrossingControl::readMeasured() {
  readRecords(
      [session = session_, task = lab_.task, waiting = lab_.waiting](const RecordStore& store) {
        std::vector<Record> records;
        for (const ProgramRecord& row : store.trials().programRecords(session, task))
          if (waiting.contains(row.program))
            if (std::optional<Record> record = store.records().one(row.record))
              records.push_back(std::move(*record));
        return records;
      });
}

bool CrossingControl::add(const std::vector<ProgramRef>& programs) {
  std::vector<RowId> records;
  RowId task = 0;
  for (const ProgramRef& program : programs) {
    if (program.file != path_ || program.record == 0 || program.task == 0) continue;
    if (task == 0) task = program.task;
    if (program.task == task) records.push_back(program.record);
  }
  if (records.empty()) return false;
  // What is dropped while others are still being read comes on top of them.
  if (task == lab_.task) {
    const std::vector<RowId> before = lab_.reading ? lab_.asked : config().records;
    records.insert(records.begin(), before.begin(), before.end());
  }
  take(task, records, 0);
  return true;
}

void CrossingControl::remove(const std::vector<int>& parents) {
  std::set<int> gone(parents.begin(), parents.end());
  std::vector<CrossingParent> kept;
  for (int i = 0; i < static_cast<int>(lab_.parents.size()); ++i)
    if (!gone.contains(i)) kept.push_back(lab_.parents[static_cast<std::size_t>(i)]);
  if (kept.size() == lab_.parents.size()) return;
  Lab lab;
  lab.task = lab_.task;
  const auto count = static_cast<int>(lab_.parents.size() - kept.size());
  lab.parents = std::move(kept);
  replaceBy(count == 1 ? tr("removing a parent") : tr("removing %1 parents").arg(count),
            std::move(lab));
}

// --- crossing

CrossingControl::Result CrossingControl::compute(const std::string& path,
                                                 const CrossingConfig& config) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  Result result{crossRecords(store, config), {}};
  const ComputeDag dag = parseDag(store.tasks().one(config.task)->dag);
  for (const CrossChild& child : result.crossing.children)
    result.steps.push_back(crossedSteps(dag, child));
  return result;
}

void CrossingControl::cross(int count, std::uint64_t seed) {
  if (!obstacle().isEmpty() || lab_.reading || crossingNow_) return;
  ++visit_;
  Lab lab;
  lab.task = lab_.task;
  lab.parents = std::move(lab_.parents);
  lab.seed = seed;
  lab_ = std::move(lab);
  crossingNow_ = true;
  Q_EMIT crossed();
  CrossingConfig wanted = config();
  wanted.count = count;
  wanted.seed = seed;
  auto result = std::make_shared<Result>();
  workQueue_.run(
      this, [path = path_.toStdString(), wanted, result] { *result = compute(path, wanted); },
      [this, result, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        crossingNow_ = false;
        lab_.crossing = std::move(result->crossing);
        lab_.steps = std::move(result->steps);
        remember();
        Q_EMIT crossed();
        Q_EMIT changed();
        if (!error.isEmpty()) Q_EMIT failed(error);
      });
  Q_EMIT changed();
}

const CrossingParent& CrossingControl::parentOf(const CrossChild& child, int side) const {
  return lab_.crossing.parents[static_cast<std::size_t>(child.parents[side])];
}

const std::vector<CrossedStep>& CrossingControl::stepsOf(int child) const {
  return lab_.steps[static_cast<std::size_t>(child)];
}

QString CrossingControl::unpredicted() const {
  return qs(lab_.crossing.unpredicted);
}

// --- measuring

std::optional<MeasuredCross> CrossingControl::measured(int child) const {
  const auto found = lab_.measured.find(children()[static_cast<std::size_t>(child)].programId);
  return found == lab_.measured.end() ? std::nullopt : std::optional(found->second);
}

bool CrossingControl::isWaiting(int child) const {
  return lab_.waiting.contains(children()[static_cast<std::size_t>(child)].programId);
}

bool CrossingControl::canMeasure(int child) const {
  return child >= 0 && child < static_cast<int>(children().size()) &&
         children()[static_cast<std::size_t>(child)].outcome == CrossOutcome::Legal &&
         !isWaiting(child) && !measured(child) && !machineTaken_ &&
         !document_.replayMode().isOn() && !document_.follower().elsewhere().isBusy();
}

QString CrossingControl::whyNotMeasure() const {
  if (QString why = document_.steering().whyNotMeasure(); !why.isEmpty()) return why;
  if (machineTaken_)
    return tr("The recombination is timing the network: one at a time may time programs on this "
              "machine.");
  if (children().empty()) return tr("There are no crosses yet.");
  return tr("No cross is chosen that is legal and was not measured.");
}

void CrossingControl::setMachineTaken(bool taken) {
  if (std::exchange(machineTaken_, taken) != taken) Q_EMIT changed();
}

void CrossingControl::measure(const std::vector<int>& children) {
  std::vector<Command> commands;
  for (const int child : children) {
    if (!canMeasure(child)) continue;
    const CrossChild& one = lab_.crossing.children[static_cast<std::size_t>(child)];
    lab_.waiting.insert(one.programId);
    commands.push_back(MeasureProgram{lab_.task, namedProgram(lab_.crossing, one)});
  }
  if (commands.empty()) return;
  for (const Command& command : commands)
    document_.steering().steer(command);
  remember();
  Q_EMIT changed();
}

void CrossingControl::readFamily(int child, std::function<void(std::vector<Ancestor>)> done) {
  auto family = std::make_shared<std::vector<Ancestor>>();
  workQueue_.run(
      this,
      [path = path_.toStdString(), session = session_, task = lab_.task, family,
       program = children()[static_cast<std::size_t>(child)].programId] {
        *family = ancestors(RecordStore::open(path, OpenMode::ReadOnly), session, task, program);
      },
      [this, family, done = std::move(done), visit = visit_](const QString& error) {
        if (visit != visit_) return;
        if (error.isEmpty())
          done(std::move(*family));
        else
          Q_EMIT failed(error);
      });
}

/// What was measured is told by the number of its record; which program that is, the file knows.
void CrossingControl::takeEvents(const std::vector<Event>& events) {
  if (lab_.waiting.empty() && lab_.measured.empty()) return;
  std::vector<RowId> fresh;
  for (const Event& event : events) {
    if (const auto* told = std::get_if<Measured>(&event); told && told->task == lab_.task)
      fresh.push_back(told->record);
    if (const auto* settled = std::get_if<ClaimSettled>(&event);
        settled && settled->task == lab_.task)
      fresh.push_back(settled->record);
    if (const auto* refused = std::get_if<CommandRefused>(&event);
        refused && std::holds_alternative<MeasureProgram>(refused->command)) {
      lab_.waiting.clear();
      Q_EMIT changed();
    }
  }
  if (fresh.empty()) return;
  readRecords([fresh](const RecordStore& store) {
    std::vector<Record> records;
    for (const RowId id : fresh)
      if (std::optional<Record> record = store.records().one(id))
        records.push_back(std::move(*record));
    return records;
  });
}

void CrossingControl::readRecords(std::function<std::vector<Record>(const RecordStore&)> find) {
  auto records = std::make_shared<std::vector<Record>>();
  workQueue_.run(
      this,
      [path = path_.toStdString(), find = std::move(find), records] {
        *records = find(RecordStore::open(path, OpenMode::ReadOnly));
      },
      [this, records, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        for (const Record& record : *records)
          takeRecord(record);
        Q_EMIT changed();
        if (!error.isEmpty()) Q_EMIT failed(error);
      });
}

MeasuredCross CrossingControl::measuredBy(const Record& record) const {
  return {record.id, record.result.latency(),
          standingOf(record, document_.session().config().measure.repeats)};
}

void CrossingControl::takeRecord(const Record& record) {
  const auto known = lab_.measured.find(record.program);
  const bool wasBest = known != lab_.measured.end() && known->second.isBest();
  if (known != lab_.measured.end() ? known->second.record != record.id
                                   : lab_.waiting.erase(record.program) == 0)
    return;
  lab_.measured[record.program] = measuredBy(record);
  remember();
  if (!record.best || wasBest) return;
  const auto child = std::ranges::find(children(), record.program, &CrossChild::programId);
  if (child != children().end()) Q_EMIT bestFound(static_cast<int>(child - children().begin()));
}

} // namespace nestwright::ui

#include "moc_crossing_control.cpp"
