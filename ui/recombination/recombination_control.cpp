#include "ui/recombination/recombination_control.h"

#include "core/record/store/choice_rows.h"
#include "core/record/store/recombination_rows.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/timing_apart.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

WorkerLaunch workersLaunch() {
  return workerLaunchFromText(Settings::workerCommand().toStdString());
}

class RealRecombination : public RecombinationPort {
 public:
  RealRecombination(const std::string& path, RowId id, Recombination::Observer observer)
      : recombination_(path, id, std::move(observer), nullptr, workersLaunch()) {}
  void post(const RecombinationCommand& command) override { recombination_.post(command); }

 private:
  Recombination recombination_;
};

} // namespace

RecombinationFactory realRecombinations() {
  return [](const std::string& path, RowId id, Recombination::Observer observer) {
    return std::make_unique<RealRecombination>(path, id, std::move(observer));
  };
}

RecombinationMaker realRecombinationMaker() {
  return [](const std::string& path, const RecombinationConfig& config) {
    RecordStore store = RecordStore::open(path, OpenMode::ReadWrite);
    return createRecombination(store, config, workersLaunch());
  };
}

RecombinationControl::RecombinationControl(Document& document, RecombinationFactory factory,
                                           RecombinationMaker maker, QObject* parent)
    : QObject(parent), document_(document), factory_(std::move(factory)), maker_(std::move(maker)) {
  connect(&queue_, &BatchSignal::ready, this, &RecombinationControl::takeEvents);
  connect(&document, &Document::stateChanged, this, &RecombinationControl::followDocument);
  connect(&document.follower(), &SessionFollower::statusChanged, this,
          &RecombinationControl::changed);
  connect(&document.timingApart(), &TimingApart::changed, this, &RecombinationControl::changed);
  connect(this, &RecombinationControl::changed, this, [this] {
    const bool times = port_ && (live_.isRunning() || pending_);
    document_.timingApart().set(this, times ? tr("A recombination is under way.") : QString());
  });
  followDocument();
}

RecombinationControl::~RecombinationControl() {
  port_.reset(); // pauses and waits for the sample in flight to be dropped, a moment
}

void RecombinationControl::followDocument() {
  if (document_.state() == DocumentState::Loading) return;
  const bool ready = document_.state() == DocumentState::Ready;
  if (document_.file().path() != path_ || !ready) end();
  path_ = ready ? document_.file().path() : QString();
  networks_.clear();
  network_ = -1;
  if (ready) {
    const std::vector<SessionNetwork>& networks = document_.session().contents().networks;
    const std::vector<std::string>& specs = document_.session().config().subjects;
    for (std::size_t i = 0; i < networks.size() && i < specs.size(); ++i)
      if (networks[i].network != 0)
        networks_.push_back({networks[i].network, qs(networks[i].name), specs[i]});
    if (!networks_.empty()) network_ = 0;
  }
  // Another session of the same file does not end what runs, as long as it has the network too.
  const auto running = std::ranges::find(networks_, live_.row ? live_.row->network : RowId(0),
                                         &RecombinableNetwork::id);
  if (port_ && running != networks_.end()) {
    network_ = static_cast<int>(running - networks_.begin());
    Q_EMIT changed();
    return;
  }
  end();
  reload();
}

void RecombinationControl::showNetwork(int index) {
  if (index == network_ || index < 0 || index >= static_cast<int>(networks_.size())) return;
  end();
  network_ = index;
  reload();
}

void RecombinationControl::end() {
  ++visit_;
  pending_ = false;
  if (!port_) return;
  // Ending waits for a process; that must not be seen in the window.
  auto ending = std::make_shared<std::shared_ptr<RecombinationPort>>(std::move(port_));
  workQueue_.run(
      this, [ending] { ending->reset(); }, [](const QString&) {});
}

void RecombinationControl::reload() {
  loading_ = network_ >= 0;
  if (!loading_) return adopt({});
  auto loaded = std::make_shared<LiveRecombination>();
  workQueue_.run(
      this,
      [path = path_.toStdString(), loaded,
       network = networks_[static_cast<std::size_t>(network_)].id] {
        *loaded = readRecombination(RecordStore::open(path, OpenMode::ReadOnly), network);
      },
      [this, loaded, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        adopt(std::move(*loaded));
        if (!error.isEmpty()) Q_EMIT failed(error);
      });
  Q_EMIT changed();
}

void RecombinationControl::adopt(LiveRecombination live) {
  loading_ = false;
  live_ = std::move(live);
  Q_EMIT changed();
}

// --- commands

QString RecombinationControl::obstacle() const {
  if (document_.state() != DocumentState::Ready) return tr("There is no document.");
  if (networks_.empty())
    return tr("This session tunes single operators. Only a whole network can be recombined.");
  return document_.timingApart().whyNot(this);
}

QString RecombinationControl::whyNotStart() const {
  if (QString why = obstacle(); !why.isEmpty()) return why;
  if (loading_) return tr("What was recombined before is being read.");
  if (pending_) return tr("It is starting or stopping.");
  return live_.isRunning() ? tr("A recombination is under way.") : QString();
}

QString RecombinationControl::whyNotGoOn() const {
  if (QString why = whyNotStart(); !why.isEmpty()) return why;
  if (!live_.exists()) return tr("There is none to go on with.");
  return live_.status == SessionStatus::Finished ? tr("It has ended.") : QString();
}

bool RecombinationControl::canStop() const {
  return live_.exists() && !pending_ && !loading_ &&
         (live_.isRunning() || (live_.status == SessionStatus::Paused && obstacle().isEmpty()));
}

void RecombinationControl::start(RecombinationConfig config) {
  if (!canStart()) return;
  config.network = networks_[static_cast<std::size_t>(network_)].spec;
  end();
  pending_ = true;
  live_.phase = tr("Choosing the candidates …").toStdString();
  auto made = std::make_shared<RowId>(0);
  auto loaded = std::make_shared<LiveRecombination>();
  workQueue_.run(
      this,
      [maker = maker_, path = path_.toStdString(), config, made, loaded,
       network = networks_[static_cast<std::size_t>(network_)].id] {
        *made = maker(path, config);
        *loaded = readRecombination(RecordStore::open(path, OpenMode::ReadOnly), network);
      },
      [this, made, loaded, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        pending_ = false;
        live_.phase.clear();
        if (error.isEmpty()) {
          adopt(std::move(*loaded));
          post(Start{});
        } else {
          Q_EMIT changed();
          Q_EMIT failed(error);
        }
      });
  Q_EMIT changed();
}

void RecombinationControl::goOn() {
  if (canGoOn()) post(Start{});
}

/// Opening reads the file and starts a thread; the window goes on meanwhile.
void RecombinationControl::post(const RecombinationCommand& command) {
  pending_ = true;
  Q_EMIT changed();
  if (port_) return port_->post(command);
  auto port = std::make_shared<std::unique_ptr<RecombinationPort>>();
  workQueue_.run(
      this,
      [this, port, path = path_.toStdString(), id = live_.row->id, factory = factory_] {
        *port = factory(path, id, [this](const RecombinationEvent& event) { queue_.push(event); });
      },
      [this, port, command, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        if (!error.isEmpty()) {
          pending_ = false;
          Q_EMIT changed();
          Q_EMIT failed(error);
          return;
        }
        port_ = std::move(*port);
        port_->post(command);
      });
}

void RecombinationControl::pause() {
  if (canPause()) post(Pause{});
}

void RecombinationControl::stop() {
  if (canStop()) post(Stop{});
}

void RecombinationControl::keep(std::optional<int> sample) {
  if (!live_.row) return;
  auto kept = std::make_shared<std::optional<NetworkChoice>>();
  workQueue_.run(
      this,
      [path = path_.toStdString(), id = live_.row->id, network = live_.row->network,
       target = live_.row->target, sample, kept] {
        RecordStore store = RecordStore::open(path, OpenMode::ReadWrite);
        if (sample)
          keepSample(store, id, *sample);
        else
          store.choices().drop(network, target);
        *kept = store.choices().of(network, target);
      },
      [this, kept, visit = visit_](const QString& error) {
        if (visit != visit_) return;
        if (error.isEmpty())
          live_.kept = std::move(*kept);
        else
          Q_EMIT failed(error);
        Q_EMIT changed();
      });
}

// --- events

void RecombinationControl::takeEvents() {
  const std::vector<RecombinationEvent> events = queue_.take();
  if (!port_) return; // of one that ended
  live_.apply(events);
  for (const RecombinationEvent& event : events)
    if (const auto* status = std::get_if<RecombinationStatusChanged>(&event)) {
      pending_ = false;
      if (status->status == SessionStatus::Failed) Q_EMIT failed(qs(status->reason));
    }
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_recombination_control.cpp"
