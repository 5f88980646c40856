#include "ui/scheduler/choice_history.h"

#include "core/record/store/event_rows.h"
#include "core/session/run/row_contents.h"
#include "ui/document/document.h"
#include "ui/document/reading/reader.h"
#include "ui/document/session_follower.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kPage = 20'000;
constexpr int kReadMilliseconds = 150;

} // namespace

ChoiceHistory::ChoiceHistory(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  readTimer_.setSingleShot(true);
  connect(&readTimer_, &QTimer::timeout, this, &ChoiceHistory::readIds);
  connect(&document, &Document::stateChanged, this, &ChoiceHistory::reset);
  connect(&document.follower(), &SessionFollower::eventsArrived, this, &ChoiceHistory::take);
  // Another program may be tuning on the same file.
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (!document_.session().isRunning()) stale_ = true, setWanted(wanted_);
  });
}

void ChoiceHistory::reset() {
  document_.reader().cancel(Reader::Channel::Choices);
  document_.reader().cancel(Reader::Channel::Choice);
  ids_.clear();
  shown_.reset();
  position_ = -1;
  follows_ = true;
  stale_ = true;
  setWanted(wanted_);
  Q_EMIT changed();
}

void ChoiceHistory::setWanted(bool wanted) {
  wanted_ = wanted;
  if (wanted_ && stale_ && document_.state() == DocumentState::Ready && !readTimer_.isActive())
    readTimer_.start(kReadMilliseconds);
}

void ChoiceHistory::take(const std::vector<Event>& events) {
  const auto newest = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return std::holds_alternative<TaskChosen>(event);
  });
  if (newest == events.rend()) return;
  stale_ = true;
  setWanted(wanted_); // for its place among the others
  if (!follows_) return;
  shown_ = std::get<TaskChosen>(*newest);
  Q_EMIT changed();
}

void ChoiceHistory::readIds() {
  if (document_.state() != DocumentState::Ready) return;
  stale_ = false;
  document_.reader().ask<std::vector<RowId>>(
      this, Reader::Channel::Choices,
      [session = document_.session().row().id,
       after = ids_.empty() ? RowId(0) : ids_.back()](const RecordStore& store) {
        return store.events().ids(session, kind(Event(TaskChosen{})), after, kPage);
      },
      [this](const std::vector<RowId>& more) {
        ids_.insert(ids_.end(), more.begin(), more.end());
        if (static_cast<int>(more.size()) == kPage) return readIds();
        if (follows_) position_ = count() - 1;
        // A live one was taken as it came; of a session at rest it is in the file.
        if (follows_ && (!document_.session().isRunning() || !shown_)) readShown();
        Q_EMIT changed();
      });
}

void ChoiceHistory::show(int position) {
  if (ids_.empty()) return;
  position_ = std::clamp(position, 0, count() - 1);
  follows_ = position_ == count() - 1;
  readShown();
  Q_EMIT changed();
}

void ChoiceHistory::showNewest() {
  show(count() - 1);
}

void ChoiceHistory::readShown() {
  if (position_ < 0) return;
  document_.reader().ask<std::optional<Event>>(
      this, Reader::Channel::Choice,
      [id = ids_[static_cast<std::size_t>(position_)]](const RecordStore& store) {
        const std::optional<EventRow> row = store.events().one(id);
        return row ? eventOf(*row) : std::nullopt;
      },
      [this](const std::optional<Event>& event) {
        if (!event) return;
        if (const auto* choice = std::get_if<TaskChosen>(&*event)) shown_ = *choice;
        Q_EMIT changed();
      });
}

} // namespace nestwright::ui

#include "moc_choice_history.cpp"
