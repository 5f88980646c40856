#include "ui/race/race_control.h"

#include "core/record/store/store.h"
#include "core/search/exec/exec_policy_name.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/policy/own_policy.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/timing_apart.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace nestwright::ui {

/// What the two threads share.
struct RaceControl::Running {
  std::mutex mutex;
  std::string name;       // once it is known
  RaceRun* run = nullptr; // while it lasts
  bool isStopped = false;

  void stop() {
    const std::scoped_lock lock(mutex);
    isStopped = true;
    if (run) run->stop();
  }
  /// False: it is not to begin.
  bool enter(RaceRun& entered) {
    const std::scoped_lock lock(mutex);
    if (!isStopped) run = &entered;
    return !isStopped;
  }
  void leave() {
    const std::scoped_lock lock(mutex);
    run = nullptr;
  }
};

namespace {

QString heatText(const RaceMoment& moment, const Progress& progress) {
  return RaceControl::tr("heat %1 of %2: %3, %4")
      .arg(moment.heat)
      .arg(moment.heats)
      .arg(qs(moment.session->entry.racer),
           countedText(progress.trials, RaceControl::tr("1 trial"), RaceControl::tr("%1 trials")));
}

} // namespace

RaceControl::RaceControl(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&told_, &BatchSignal::ready, this, &RaceControl::takeMoments);
  connect(&document, &Document::leaving, this, &RaceControl::pause);
  connect(&document, &Document::stateChanged, this, &RaceControl::changed);
  connect(&document.timingApart(), &TimingApart::changed, this, &RaceControl::changed);
  connect(this, &RaceControl::changed, this, [this] {
    document_.timingApart().set(this, isRunning() ? tr("A race is under way.") : QString());
  });
  connect(&document.follower(), &SessionFollower::statusChanged, this, [this] {
    // One at a time may time programs on this machine, and the session is what was asked for last.
    if (isRunning() && !isPausing() && document_.session().isRunning()) {
      document_.notices().warn(tr("The session is being tuned: the race is paused."));
      pause();
    }
    Q_EMIT changed();
  });
}

RaceControl::~RaceControl() {
  if (running_) running_->stop(); // whoever listens may have gone
}

bool RaceControl::runs(const std::string& race) const {
  if (!running_) return false;
  const std::scoped_lock lock(running_->mutex);
  return running_->name == race;
}

bool RaceControl::isPausing() const {
  if (!running_) return false;
  const std::scoped_lock lock(running_->mutex);
  return running_->isStopped;
}

QString RaceControl::whyNotStart() const {
  if (document_.state() != DocumentState::Ready) return document_.whyNotReady();
  if (isPausing()) return tr("The race that was run here is being paused.");
  if (isRunning()) return tr("A race is under way.");
  return document_.timingApart().whyNot(this);
}

QString RaceControl::whyNotGoOn(const Race& race) const {
  if (QString why = whyNotStart(); !why.isEmpty()) return why;
  if (race.isOver()) return tr("The race is over.");
  const auto unknown = std::ranges::find_if(race.racers, [&](const std::string& racer) {
    return isExecPolicy(racer) && !programOf(race, racer);
  });
  if (unknown != race.racers.end())
    return tr("%1 races in it, and no file says what is run: name it with Policy "
              "Program … (Session, Plan), or go on on the command line, where it is named again "
              "with --policy.")
        .arg(qs(*unknown));
  return {};
}

std::optional<PolicyLaunch> RaceControl::programOf(const Race& race,
                                                   const std::string& racer) const {
  if (const auto made = programs_.find(race.name); made != programs_.end())
    if (const auto program = made->second.find(racer); program != made->second.end())
      return program->second;
  PolicyLaunch own = ownPolicyLaunch();
  if (!own.command.empty() && execPolicyName(own.command) == racer) return own;
  return std::nullopt;
}

void RaceControl::start(RaceWish wish) {
  if (!whyNotStart().isEmpty()) return;
  RaceStart start;
  for (const Racer& racer : wish.racers)
    if (!racer.launch.command.empty()) start.policies[racer.label] = racer.launch;
  const WorkerLaunch launch = workerLaunchFromText(Settings::workerCommand().toStdString());
  begin(
      [wish = std::move(wish), launch, path = document_.file().path().toStdString()] {
        RecordStore store = RecordStore::open(path, OpenMode::ReadWrite);
        return createRace(store, wish, launch);
      },
      std::move(start));
}

void RaceControl::goOn(const Race& race) {
  if (!whyNotGoOn(race).isEmpty()) return;
  RaceStart start;
  for (const std::string& racer : race.racers)
    if (isExecPolicy(racer)) start.policies[racer] = *programOf(race, racer);
  begin([name = race.name] { return name; }, std::move(start));
}

void RaceControl::begin(std::function<std::string()> name, RaceStart start) {
  start.launch = workerLaunchFromText(Settings::workerCommand().toStdString());
  start.measure = measure_;
  const auto running = running_ = std::make_shared<Running>();
  const auto end = std::make_shared<RaceEnd>();
  moment_.clear();
  const auto isMade = [this, running, programs = start.policies] {
    if (!programs.empty()) programs_[running->name] = programs;
    if (running_ == running) Q_EMIT made(running->name);
  };
  work_.run(
      this,
      [this, running, end, name = std::move(name), start = std::move(start), isMade,
       path = document_.file().path().toStdString()] {
        const std::string made = name();
        {
          const std::scoped_lock lock(running->mutex);
          running->name = made;
        }
        QMetaObject::invokeMethod(this, isMade, Qt::QueuedConnection);
        RaceRun run(path, raceNamed(RecordStore::open(path, OpenMode::ReadOnly), made), start,
                    [this](const RaceMoment& moment, const Event& event) {
                      if (const auto* progress = std::get_if<Progress>(&event))
                        told_.push(heatText(moment, *progress));
                    });
        struct Stay {
          Running& running;
          ~Stay() { running.leave(); }
        };
        if (!running->enter(run)) return;
        const Stay stay{*running};
        *end = run.run();
      },
      [this, end](const QString& error) { ended(*end, error); });
  Q_EMIT changed();
}

void RaceControl::ended(const RaceEnd& end, const QString& error) {
  running_.reset();
  moment_.clear();
  if (!error.isEmpty())
    document_.notices().warn(tr("The race has ended early. %1").arg(error));
  else if (end.status == SessionStatus::Paused && end.cause != PauseCause::Asked)
    document_.notices().warn(tr("The race is paused: %1.").arg(qs(end.reason)));
  Q_EMIT changed();
}

void RaceControl::pause() {
  if (!running_ || isPausing()) return;
  running_->stop();
  Q_EMIT changed();
}

void RaceControl::takeMoments() {
  const std::vector<QString> moments = told_.take();
  if (moments.empty() || !isRunning()) return;
  moment_ = moments.back();
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_race_control.cpp"
