#pragma once
/// \file The recombination that the view shows: what the file has of it, the one that runs, and the
/// commands to it. GUI thread only; what writes or waits is done on a thread of its own.

#include "core/session/recombination/live_recombination.h"
#include "ui/document/event_queue.h"
#include "ui/document/session_port.h"
#include "ui/kit/work_queue.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;

using RecombinationPort = CommandPort<RecombinationCommand>;
/// Makes one in the file (when `recombination` is 0) or takes the one that is there.
using RecombinationFactory = std::function<std::unique_ptr<RecombinationPort>(
    const std::string& path, RowId recombination, Recombination::Observer observer)>;
/// Runs core's Recombination.
RecombinationFactory realRecombinations();
/// How a new one is stored: core's createRecombination, or a test's.
using RecombinationMaker =
    std::function<RowId(const std::string& path, const RecombinationConfig& config)>;
RecombinationMaker realRecombinationMaker();

/// A network of the document that can be recombined.
struct RecombinableNetwork {
  RowId id = 0;
  QString name;
  std::string spec;
};

class RecombinationControl : public QObject {
  Q_OBJECT
 public:
  RecombinationControl(Document& document, RecombinationFactory factory, RecombinationMaker maker,
                       QObject* parent);
  ~RecombinationControl() override;

  // Commands. All return at once; changed() follows.
  void showNetwork(int index);
  /// Begins a new recombination of the shown network.
  void start(RecombinationConfig config);
  void goOn();
  void pause();
  /// Ends it with what has been measured.
  void stop();
  /// Makes a sample's combination what `nestwright run` uses; goes back to the bests for nothing.
  void keep(std::optional<int> sample);

  // Facts.
  const std::vector<RecombinableNetwork>& networks() const { return networks_; }
  int network() const { return network_; }
  bool isLoading() const { return loading_; }
  /// Of the shown network.
  const LiveRecombination& recombination() const { return live_; }
  /// A command whose effect has not been announced yet.
  bool isPending() const { return pending_; }
  // Why not, in a sentence; empty when it can be done.
  QString whyNotStart() const;
  QString whyNotGoOn() const;
  bool canStart() const { return whyNotStart().isEmpty(); }
  bool canGoOn() const { return whyNotGoOn().isEmpty(); }
  bool canPause() const { return live_.isRunning() && !pending_; }
  bool canStop() const;
  /// Why canStart() is false, in a sentence; empty when it is true.
  QString obstacle() const;

 Q_SIGNALS:
  /// Anything of the above changed; at most some thirty times per second.
  void changed();
  void failed(const QString& text);

 private:
  void followDocument();
  void reload();
  void adopt(LiveRecombination live);
  void end();
  /// Hands the command to what runs, which is made first if there is none yet.
  void post(const RecombinationCommand& command);
  void takeEvents();

  Document& document_;
  RecombinationFactory factory_;
  RecombinationMaker maker_;
  QString path_;
  std::vector<RecombinableNetwork> networks_;
  int network_ = -1;
  bool loading_ = false, pending_ = false;
  LiveRecombination live_;

  BatchQueue<RecombinationEvent> queue_; // of what its thread leaves for us
  std::uint64_t visit_ = 0;              // an answer for an earlier document or network is dropped
  std::shared_ptr<RecombinationPort> port_;
  WorkQueue workQueue_; // the last member: finishes before the others go
};

} // namespace nestwright::ui
