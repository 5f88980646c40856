#include "ui/crossing_control.h"

#include "core/record/document_file.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "ui/change.h"
#include "ui/crossing_memory.h"
#include "ui/document.h"
#include "ui/text.h"

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
    const bool same = document_.state() == DocumentState::Ready && document_.path() == path_ &&
                      document_.session().id == session_;
    if (!same) clear();
    Q_EMIT changed();
  });
  connect(&document, &Document::statusChanged, this, &CrossingControl::changed);
  connect(&document, &Document::selectionChanged, this, &CrossingControl::changed);
  connect(&document, &Document::replayChanged, this, &CrossingControl::changed);
  connect(&document, &Document::eventsArrived, this, &CrossingControl::takeEvents);
}

CrossingControl::~CrossingControl() {
  if (remembering_.isActive()) rememberNow();
}

void CrossingControl::clear() {
  if (remembering_.isActive()) rememberNow();
  ++visit_;
  const bool ready = document_.state() == DocumentState::Ready;
  path_ = ready ? document_.path() : QString();
  session_ = ready ? document_.session().id : 0;
  task_ = 0;
  parents_.clear();
  forgetChildren();
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
  errands_.run(
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
        const ComputeDag dag = parseDag(store.task(memory.task)->dag);
        std::set<std::string> legal;
        for (const CrossChild& child : memory.children) {
          kept->steps.push_back(crossedSteps(dag, child));
          if (child.outcome == CrossOutcome::Legal) legal.insert(child.programId);
        }
        // A legal one was new when it was crossed: what is known of it now was measured since.
        for (const ProgramRecord& row : store.programRecords(session, memory.task))
          if (legal.contains(row.program))
            if (std::optional<Record> record = store.record(row.record))
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
  task_ = kept.memory.task;
  parents_ = std::move(kept.parents);
  crossing_ = {parents_, std::move(kept.memory.children), kept.memory.predicted,
               std::move(kept.memory.unpredicted)};
  steps_ = std::move(kept.steps);
  tally_ = nestwright::tally(crossing_.children);
  seed_ = kept.memory.seed;
  waiting_ = std::move(kept.memory.waiting);
  for (const Record& record : kept.measured) {
    waiting_.erase(record.program);
    measured_[record.program] = measuredBy(record);
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
  CrossingMemory memory{
      task_, {}, seed_, crossing_.predicted, crossing_.unpredicted, crossing_.children, waiting_};
  // Children are of the parents that were there when they were crossed.
  for (const CrossingParent& parent : crossing_.children.empty() ? parents_ : crossing_.parents)
    memory.parents.push_back(parent.record);
  // A file that cannot be written forgets it, which is no reason to bother anybody.
  errands_.run([memory = std::move(memory), path = path_.toStdString(),
                key = crossingKey(session_)] { keep(path, key, toText(memory)); },
               [](const QString&) {});
}

void CrossingControl::forgetChildren() {
  crossing_ = {};
  steps_.clear();
  tally_ = {};
  waiting_.clear();
  measured_.clear();
  reading_ = crossingNow_ = false;
  Q_EMIT crossed();
}

CrossingConfig CrossingControl::config() const {
  CrossingConfig config;
  config.session = session_;
  config.task = task_;
  for (const CrossingParent& parent : parents_)
    config.records.push_back(parent.record);
  return config;
}

QString CrossingControl::obstacle() const {
  if (document_.state() != DocumentState::Ready) return tr("There is no document.");
  if (parents_.size() < 2)
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

/// Puts the lab in the place of the present one, in a way that can be undone.
void CrossingControl::replaceBy(const QString& what, Lab lab) {
  // One of the two is in use, the other one waits to be wanted again.
  auto other = std::make_shared<Lab>(std::move(lab));
  const auto swap = [this, other] {
    Lab present = takeOut();
    putIn(std::exchange(*other, std::move(present)));
  };
  document_.undoStack().push(new Change(what, swap, swap));
}

CrossingControl::Lab CrossingControl::takeOut() {
  ++visit_; // what is on its way was for this one
  Lab lab{task_,
          std::exchange(parents_, {}),
          std::exchange(asked_, {}),
          top_,
          reading_,
          std::exchange(crossing_, {}),
          std::exchange(steps_, {}),
          seed_,
          std::exchange(measured_, {}),
          std::exchange(waiting_, {})};
  forgetChildren();
  return lab;
}

void CrossingControl::putIn(Lab lab) {
  task_ = lab.task;
  parents_ = std::move(lab.parents);
  asked_ = std::move(lab.asked);
  top_ = lab.top;
  crossing_ = std::move(lab.crossing);
  steps_ = std::move(lab.steps);
  tally_ = nestwright::tally(crossing_.children);
  seed_ = lab.seed;
  measured_ = std::move(lab.measured);
  waiting_ = std::move(lab.waiting);
  reading_ = lab.reading;
  if (reading_)
    readParents();
  else
    remember();
  if (!waiting_.empty()) readMeasured();
  Q_EMIT crossed();
  Q_EMIT changed();
}

void CrossingControl::readParents() {
  CrossingConfig wanted = config();
  wanted.records = asked_;
  wanted.top = top_;
  auto parents = std::make_shared<std::vector<CrossingParent>>();
  errands_.run(
      [path = path_.toStdString(), wanted, parents] {
        *parents = crossingParents(RecordStore::open(path, OpenMode::ReadOnly), wanted);
      },
      [this, parents, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        reading_ = false;
        parents_ = std::move(*parents);
        remember();
        Q_EMIT changed();
        if (!error.isEmpty()) Q_EMIT failed(error);
      });
}

/// What was measured of the crosses while others were in view.
void CrossingControl::readMeasured() {
  auto records = std::make_shared<std::vector<Record>>();
  errands_.run(
      [path = path_.toStdString(), session = session_, task = task_, waiting = waiting_, records] {
        const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
        for (const ProgramRecord& row : store.programRecords(session, task))
          if (waiting.contains(row.program))
            if (std::optional<Record> record = store.record(row.record))
              records->push_back(std::move(*record));
      },
      [this, records, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        for (const Record& record : *records)
          takeRecord(record);
        Q_EMIT changed();
        if (!error.isEmpty()) Q_EMIT failed(error);
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
  if (task == task_) {
    const std::vector<RowId> before = reading_ ? asked_ : config().records;
    records.insert(records.begin(), before.begin(), before.end());
  }
  take(task, records, 0);
  return true;
}

void CrossingControl::remove(const std::vector<int>& parents) {
  std::set<int> gone(parents.begin(), parents.end());
  std::vector<CrossingParent> kept;
  for (int i = 0; i < static_cast<int>(parents_.size()); ++i)
    if (!gone.contains(i)) kept.push_back(parents_[static_cast<std::size_t>(i)]);
  if (kept.size() == parents_.size()) return;
  Lab lab;
  lab.task = task_;
  const auto count = static_cast<int>(parents_.size() - kept.size());
  lab.parents = std::move(kept);
  replaceBy(count == 1 ? tr("removing a parent") : tr("removing %1 parents").arg(count),
            std::move(lab));
}

// --- crossing

CrossingControl::Result CrossingControl::compute(const std::string& path,
                                                 const CrossingConfig& config) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  Result result{crossRecords(store, config), {}};
  const ComputeDag dag = parseDag(store.task(config.task)->dag);
  for (const CrossChild& child : result.crossing.children)
    result.steps.push_back(crossedSteps(dag, child));
  return result;
}

void CrossingControl::cross(int count, std::uint64_t seed) {
  if (!obstacle().isEmpty() || reading_ || crossingNow_) return;
  ++visit_;
  forgetChildren();
  crossingNow_ = true;
  CrossingConfig wanted = config();
  wanted.count = count;
  wanted.seed = seed_ = seed;
  auto result = std::make_shared<Result>();
  errands_.run([path = path_.toStdString(), wanted, result] { *result = compute(path, wanted); },
               [this, result, visit = visit_](const QString& error) {
                 if (visit != visit_) return;
                 crossingNow_ = false;
                 crossing_ = std::move(result->crossing);
                 steps_ = std::move(result->steps);
                 tally_ = nestwright::tally(crossing_.children);
                 remember();
                 Q_EMIT crossed();
                 Q_EMIT changed();
                 if (!error.isEmpty()) Q_EMIT failed(error);
               });
  Q_EMIT changed();
}

const CrossingParent& CrossingControl::parentOf(const CrossChild& child, int side) const {
  return crossing_.parents[static_cast<std::size_t>(child.parents[side])];
}

const std::vector<CrossedStep>& CrossingControl::stepsOf(int child) const {
  return steps_[static_cast<std::size_t>(child)];
}

QString CrossingControl::unpredicted() const {
  return qs(crossing_.unpredicted);
}

// --- measuring

std::optional<MeasuredCross> CrossingControl::measured(int child) const {
  const auto found = measured_.find(children()[static_cast<std::size_t>(child)].programId);
  return found == measured_.end() ? std::nullopt : std::optional(found->second);
}

bool CrossingControl::isWaiting(int child) const {
  return waiting_.contains(children()[static_cast<std::size_t>(child)].programId);
}

bool CrossingControl::canMeasure(int child) const {
  return child >= 0 && child < static_cast<int>(children().size()) &&
         children()[static_cast<std::size_t>(child)].outcome == CrossOutcome::Legal &&
         !isWaiting(child) && !measured(child) && !machineTaken_ && !document_.isReplaying() &&
         !document_.isBusyElsewhere();
}

void CrossingControl::setMachineTaken(bool taken) {
  if (std::exchange(machineTaken_, taken) != taken) Q_EMIT changed();
}

void CrossingControl::measure(const std::vector<int>& children) {
  std::vector<NamedProgram> programs;
  for (const int child : children) {
    if (!canMeasure(child)) continue;
    const CrossChild& one = crossing_.children[static_cast<std::size_t>(child)];
    waiting_.insert(one.programId);
    programs.push_back(namedProgram(crossing_, one));
  }
  if (programs.empty()) return;
  document_.measureNow(task_, programs);
  remember();
  Q_EMIT changed();
}

void CrossingControl::readFamily(int child, std::function<void(std::vector<Ancestor>)> done) {
  auto family = std::make_shared<std::vector<Ancestor>>();
  errands_.run(
      [path = path_.toStdString(), session = session_, task = task_, family,
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
  if (waiting_.empty() && measured_.empty()) return;
  std::vector<RowId> fresh;
  for (const Event& event : events) {
    if (const auto* told = std::get_if<Measured>(&event); told && told->task == task_)
      fresh.push_back(told->record);
    if (const auto* settled = std::get_if<ClaimSettled>(&event); settled && settled->task == task_)
      fresh.push_back(settled->record);
    if (const auto* refused = std::get_if<CommandRefused>(&event);
        refused && refused->command == "measure a program") {
      waiting_.clear();
      Q_EMIT changed();
    }
  }
  if (fresh.empty()) return;
  auto records = std::make_shared<std::vector<Record>>();
  errands_.run(
      [path = path_.toStdString(), fresh, records] {
        const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
        for (const RowId id : fresh)
          if (std::optional<Record> record = store.record(id))
            records->push_back(std::move(*record));
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
  return {record.id, record.result.median(),
          standingOf(record, document_.config().measure.repeats)};
}

void CrossingControl::takeRecord(const Record& record) {
  const auto known = measured_.find(record.program);
  const bool wasBest = known != measured_.end() && known->second.isBest();
  if (known != measured_.end() ? known->second.record != record.id
                               : waiting_.erase(record.program) == 0)
    return;
  measured_[record.program] = measuredBy(record);
  remember();
  if (!record.best || wasBest) return;
  const auto child = std::ranges::find(children(), record.program, &CrossChild::programId);
  if (child != children().end()) Q_EMIT bestFound(static_cast<int>(child - children().begin()));
}

} // namespace nestwright::ui
