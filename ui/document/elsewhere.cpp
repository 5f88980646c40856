#include "ui/document/elsewhere.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/session/run/session_lock.h"
#include "ui/kit/text.h"

#include <optional>
#include <utility>

namespace nestwright::ui {
namespace {

/// Without a new trial for this long, nobody else is tuning (one measurement may take ten seconds).
constexpr int kQuietMilliseconds = 12'000;

} // namespace

FileLook lookAt(const RecordStore& store, RowId session) {
  // Asked before the trials are counted: what came before the lock was ours is somebody else's.
  const std::optional<LockHolder> holder = sessionHolder(store.path(), session);
  FileLook look;
  look.trials = store.sessions().summary(session).trials;
  look.records = store.records().total();
  look.isHeldHere = holder && holder->isThisProcess;
  const std::optional<SessionRow> row = store.sessions().one(session);
  // One that was killed still says that it runs.
  if (row && row->status == SessionStatus::Running && holder) look.runner = holder->text;
  return look;
}

Elsewhere::News Elsewhere::take(const FileLook& look, std::int64_t trialsShown,
                                bool curvesLoading) {
  const bool wasBusy = isBusy();
  const QString before = std::exchange(runner_, look.isOurs ? QString() : qs(look.runner));
  News news{.status = before != runner_};
  if (curvesLoading) return news;
  const std::int64_t seen = std::exchange(recordsSeen_, look.records);
  if (look.trials > trialsShown && !look.isOurs) { // else events on their way tell of them
    grown_.start();
    news.contents = true;
  } else if (seen >= 0 && look.records != seen) {
    news.contents = true; // another session of the file, whose records may be in sight
  } else if (grown_.isValid() && grown_.elapsed() > kQuietMilliseconds) {
    grown_.invalidate();
  }
  if (wasBusy && !isBusy()) news.contents = true; // its last words: finished, or paused
  news.status |= wasBusy != isBusy();
  return news;
}

} // namespace nestwright::ui
