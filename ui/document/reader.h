#pragma once
/// \file Reading the document without ever waiting for it: a thread with its own connection to the
/// file. Every view asks on a channel of its own; a newer question replaces the waiting one, and an
/// answer that is no longer wanted is dropped.

#include "core/record/store/store.h"

#include <QObject>
#include <QString>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace nestwright::ui {

class Reader : public QObject {
  Q_OBJECT
 public:
  /// Who asks. One question per channel is of interest at any time.
  enum class Channel {
    Contents,
    History,
    Program,
    RecordPage,
    RecordHead,
    RecordDetails,
    Log,
    Watch,
    Compare,
    Choices,
    Choice,
    Graph,
    Round,
    Sketches,
    Generations,
    Family,
    Marks,
    Predictions
  };
  using Fail = std::function<void(const QString&)>;

  explicit Reader(QObject* parent = nullptr);
  ~Reader() override;

  /// Following questions are about this file; earlier ones are forgotten. Opened by the first.
  void setPath(const QString& path);

  /// Runs `work` on the reader's thread and `done` with its result on the GUI thread. When the file
  /// cannot be read, `fail` is called instead, or failed() emitted if there is none.
  template <class T>
  void ask(Channel channel, std::function<T(const RecordStore&)> work, std::function<void(T)> done,
           Fail fail = {}) {
    post(
        channel,
        [work = std::move(work), done = std::move(done)](const RecordStore& store) -> Answer {
          // Shared, because std::function wants to be copied and T need not be cheap to copy.
          auto result = std::make_shared<T>(work(store));
          return [result, done] { done(std::move(*result)); };
        },
        std::move(fail));
  }

  /// Forgets what was asked on this channel.
  void cancel(Channel channel);
  bool busy(Channel channel) const;

 Q_SIGNALS:
  void failed(const QString& text);

 private:
  using Answer = std::function<void()>;
  using Work = std::function<Answer(const RecordStore&)>;
  struct Job {
    Channel channel;
    std::uint64_t generation;
    Work work;
    Fail fail;
  };

  void post(Channel channel, Work work, Fail fail);
  void run();
  void execute(std::optional<RecordStore>& store, const QString& path, Job job);
  void deliver(Channel channel, std::uint64_t generation, const Answer& answer);

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  QString path_;
  std::uint64_t pathGeneration_ = 0;
  bool quit_ = false;
  std::uint64_t nextGeneration_ = 1;
  std::map<Channel, std::uint64_t> wanted_; // newest question per channel; GUI thread only
  std::thread thread_;
};

} // namespace nestwright::ui
