#pragma once
/// \file Reading the document without ever waiting for it: a thread with its own connection to the
/// file, for short questions of the document and of many views. Each kind of question has a
/// channel; a newer question replaces the waiting one, and an answer that is no longer wanted is
/// dropped. Who has long questions has a thread for them: see ui/document/reading/file_asking.h.

#include "core/record/store/store.h"
#include "ui/document/reading/connection_cache.h"
#include "ui/kit/background.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <map>
#include <memory>

namespace nestwright::ui {

class Reader : public QObject {
  Q_OBJECT
 public:
  /// Who asks. One question per channel is of interest at any time.
  enum class Channel {
    Contents,
    Imported,
    History,
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
    Predictions,
    Conditions,
    InspectedCourse,
    ModelCourse,
    KnobTrials,
    KnobSpace,
    EditDemand,
    KnobDemand
  };
  using Fail = Background::Fail;

  using QObject::QObject;

  /// Following questions are about this file; earlier ones are forgotten. Opened by the first.
  void setPath(const QString& path);

  /// Runs `work` on the reader's thread and `done` with its result on the GUI thread. When the file
  /// cannot be read, `fail` is called instead, or failed() emitted if there is none. Neither is
  /// when `receiver` has gone by then.
  template <class T>
  void ask(QObject* receiver, Channel channel, std::function<T(const RecordStore&)> work,
           std::function<void(T)> done, Fail fail = {}) {
    if (!fail) fail = [this](const QString& why) { Q_EMIT failed(why); };
    const QPointer<QObject> there(receiver);
    done = [there, done = std::move(done)](T answer) {
      if (there) done(std::move(answer));
    };
    fail = [there, fail = std::move(fail)](const QString& why) {
      if (there) fail(why);
    };
    questions_.try_emplace(channel, nullptr, &thread_)
        .first->second.template ask<T>([store = store_, path = path_, work = std::move(work)](
                                           const Job&) { return work(store->at(path)); },
                                       std::move(done), std::move(fail));
  }

  /// Forgets what was asked on this channel.
  void cancel(Channel channel);
  bool busy(Channel channel) const;

 Q_SIGNALS:
  void failed(const QString& text);

 private:
  QString path_;
  std::shared_ptr<StoreCache> store_ = std::make_shared<StoreCache>();
  OneThread thread_;
  std::map<Channel, Background> questions_;
};

} // namespace nestwright::ui
