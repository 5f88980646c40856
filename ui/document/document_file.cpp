/// The document as a file that people keep, copy and come back to.
#include "core/record/file/document_file.h"

#include "ui/document/document.h"
#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <atomic>

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

void Document::keepViewState(const std::string& json) {
  if (state_ != DocumentState::Ready || json == contents_.viewState) return;
  contents_.viewState = json;
  // A file that cannot be written forgets it, which is no reason to bother anybody.
  workQueue_.run([json, file = path_.toStdString()] { keep(file, kViewStateKey, json); },
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
