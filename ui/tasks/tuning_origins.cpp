#include "ui/tasks/tuning_origins.h"

#include "core/record/store/target_rows.h"
#include "core/target/target.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/kit/text.h"

#include <utility>

namespace nestwright::ui {

TuningOrigins::TuningOrigins(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, &TuningOrigins::ask);
  connect(&document.follower(), &SessionFollower::recordsReread, this, &TuningOrigins::ask);
  ask();
}

void TuningOrigins::ask() {
  background_.cancel();
  if (document_.state() != DocumentState::Ready) {
    known_ = {};
    Q_EMIT changed();
    return;
  }
  struct Asked {
    std::vector<RowId> tasks;
    std::vector<std::string> keys;
  };
  const auto asked = std::make_shared<Asked>(); // the question is copied on its way
  asked->tasks.reserve(document_.session().tasks().size());
  asked->keys.reserve(document_.session().tasks().size());
  RowId target = 0;
  for (const TaskEntry& task : document_.session().tasks()) {
    asked->tasks.push_back(task.row.id);
    asked->keys.push_back(task.row.key);
    target = task.row.target;
  }
  background_.ask<Answer>(
      [asked = std::shared_ptr<const Asked>(asked), target,
       path = document_.file().path().toStdString(),
       threads = document_.session().config().measure.threads](const Job&) {
        const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
        const std::string machine = hostTarget(threads).id();
        const std::vector<TuningOrigin> origins = tuningOrigins(store, asked->keys, machine);
        Answer answer;
        for (std::size_t i = 0; i < asked->tasks.size(); ++i)
          answer.origins.emplace(asked->tasks[i], origins[i]);
        for (const TargetRow& row : store.targets().all())
          answer.here |= row.id == target && row.key == machine;
        return answer;
      },
      [this](Answer answer) {
        known_ = std::move(answer);
        Q_EMIT changed();
      },
      [this](const QString&) { // whatever reads the document next says why
        known_ = {};
        Q_EMIT changed();
      });
}

std::optional<TuningOrigin> TuningOrigins::of(const TaskEntry& task) const {
  // A best may have come since the file was asked.
  if (known_.here && task.summary.bestRecord != 0) return TuningOrigin::Here;
  const auto found = known_.origins.find(task.row.id);
  if (found == known_.origins.end()) return std::nullopt;
  return found->second;
}

std::optional<double> TuningOrigins::untunedShare() const {
  std::vector<OriginShare> shares;
  const std::vector<TaskEntry>& tasks = document_.session().tasks();
  const std::vector<bool> counted = countedTasks(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!counted[i]) continue;
    const TaskEntry& task = tasks[i];
    const std::optional<TuningOrigin> origin = of(task);
    if (!origin) return std::nullopt;
    const double seconds =
        task.summary.bestRecord ? task.summary.bestSeconds : task.summary.naiveSeconds;
    shares.push_back({*origin, task.row.weight * seconds});
  }
  return nestwright::untunedShare(shares);
}

QString originText(std::optional<TuningOrigin> origin) {
  if (!origin) return {};
  switch (*origin) {
  case TuningOrigin::Here:
    return TuningOrigins::tr("this machine");
  case TuningOrigin::Elsewhere:
    return TuningOrigins::tr("elsewhere");
  case TuningOrigin::Fallback:
    break;
  }
  return TuningOrigins::tr("fallback");
}

QString originMeaning(std::optional<TuningOrigin> origin) {
  if (!origin) return {};
  switch (*origin) {
  case TuningOrigin::Here:
    return TuningOrigins::tr("The file has a verified program that was tuned on this machine.");
  case TuningOrigin::Elsewhere:
    return TuningOrigins::tr("The file has programs of another machine only. Here the network "
                             "would run with the naive program.");
  case TuningOrigin::Fallback:
    break;
  }
  return TuningOrigins::tr("No program was tuned yet: the network would run with the naive one.");
}

} // namespace nestwright::ui

#include "moc_tuning_origins.cpp"
