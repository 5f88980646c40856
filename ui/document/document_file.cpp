/// The document as a file that people keep, copy and come back to; and changes that can be undone.
#include "core/record/file/document_file.h"

#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace nestwright::ui {

std::optional<Selection> selectionOf(const SessionContents& contents) {
  const nlohmann::json state = nlohmann::json::parse(contents.viewState, nullptr, false);
  if (!state.is_object()) return std::nullopt;
  const auto number = [&](const char* key) {
    const auto found = state.find(key);
    return found != state.end() && found->is_number_integer() ? found->get<RowId>() : RowId(-1);
  };
  if (number("session") != contents.session.id) return std::nullopt;
  const RowId task = number("task"), record = number("record");
  const bool known =
      task == 0 || std::any_of(contents.tasks.begin(), contents.tasks.end(),
                               [&](const TaskEntry& entry) { return entry.row.id == task; });
  if (!known) return std::nullopt;
  return Selection{task, std::max<RowId>(record, 0)};
}

// --- undo

void Document::setImportance(RowId task, double importance) {
  const TaskEntry* entry = find(task);
  if (!entry || !std::isfinite(importance) || importance < 0) return;
  if (importance == entry->importance || refusesInReplay()) return;
  undo_.push(new Change(
      tr("importance of %1").arg(taskTitle(entry->row.name)),
      [=, this] { applyImportance(task, importance); },
      [=, this, before = entry->importance] { applyImportance(task, before); },
      QStringLiteral("importance/%1").arg(task)));
}

void Document::applyImportance(RowId task, double importance) {
  TaskEntry* entry = find(task);
  if (!entry || refusesInReplay()) return;
  entry->importance = importance;
  command([=](SessionPort& session) { session.setImportance(task, importance); });
  Q_EMIT tasksChanged();
}

void Document::setTrialBudget(std::int64_t trials) {
  if (state_ != DocumentState::Ready || trials < progress_.trials || trials == progress_.budget ||
      refusesInReplay())
    return;
  undo_.push(new Change(
      tr("trial budget"), [=, this] { applyTrialBudget(trials); },
      // Trials that were made meanwhile cannot be taken back.
      [this, before = progress_.budget] { applyTrialBudget(std::max(before, progress_.trials)); }));
}

void Document::applyTrialBudget(std::int64_t trials) {
  if (refusesInReplay()) return;
  // Trials on demand come on top of the budget of the search.
  progress_.budget = trials;
  const std::int64_t search = contents_.config.trials = trials - contents_.demandedTrials;
  command([=](SessionPort& session) { session.setTrialBudget(search); });
  Q_EMIT settingsChanged();
  Q_EMIT progressChanged();
  Q_EMIT statusChanged();
}

// --- the file

void Document::keepViewState(const std::string& json) {
  if (state_ != DocumentState::Ready || json == contents_.viewState) return;
  contents_.viewState = json;
  // A file that cannot be written forgets it, which is no reason to bother anybody.
  errands_.run([json, file = path_.toStdString()] { keep(file, kViewStateKey, json); },
               [](const QString&) {});
}

struct Document::Copying {
  std::atomic<bool> cancelled = false;
};

void Document::cancelCopy() {
  if (copying_) copying_->cancelled = true;
}

void Document::saveCopy(const QString& path) {
  if (state_ != DocumentState::Ready || copying_) return;
  copying_ = std::make_shared<Copying>();
  // A thread of its own: a large copy takes minutes, and sessions must start meanwhile.
  QThreadPool::globalInstance()->start(
      [path, from = path_.toStdString(), copying = copying_, self = QPointer<Document>(this)] {
        const auto tell = [&](auto what) {
          QMetaObject::invokeMethod(
              qApp,
              [self, what] {
                if (self) what(*self);
              },
              Qt::QueuedConnection);
        };
        bool written = false;
        QString reason;
        try {
          written = nestwright::saveCopy(from, path.toStdString(), [&](double done) {
            tell([done](Document& document) { Q_EMIT document.copyProgressed(done); });
            return !copying->cancelled;
          });
        } catch (const std::exception& problem) {
          reason = qs(problem.what());
        }
        tell([path, written, reason](Document& document) {
          document.copying_.reset();
          Q_EMIT document.copyEnded(path, written, reason);
        });
      });
}

} // namespace nestwright::ui
