#include "core/session/run/course_marks.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "core/support/overloaded.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nestwright {

namespace {

std::optional<CourseMark> markOf(const Event& event) {
  const auto weight = [](RowId task, std::string text) {
    return CourseMark{CourseMark::Kind::Weight, 0, 0, task, std::move(text)};
  };
  return std::visit(
      Overloaded{[](const StateChanged& state) -> std::optional<CourseMark> {
                   if (state.status == SessionStatus::Paused)
                     return CourseMark{CourseMark::Kind::Pause, 0, 0, 0, state.reason};
                   if (state.status == SessionStatus::Failed)
                     return CourseMark{CourseMark::Kind::Failure, 0, 0, 0, state.reason};
                   return std::nullopt;
                 },
                 [&](const ImportanceChanged& change) -> std::optional<CourseMark> {
                   return weight(change.task, fmt::format("importance {:g}", change.importance));
                 },
                 [&](const TaskModeChanged& change) -> std::optional<CourseMark> {
                   return weight(change.task, name(change.mode));
                 },
                 [](const auto&) -> std::optional<CourseMark> { return std::nullopt; }},
      event);
}

} // namespace

std::vector<CourseMark> courseMarks(const RecordStore& store, RowId session) {
  std::vector<RowId> ids;
  for (const Event& kindOfEvent :
       {Event(StateChanged{}), Event(ImportanceChanged{}), Event(TaskModeChanged{})})
    std::ranges::copy(store.events().ids(session, kind(kindOfEvent)), std::back_inserter(ids));
  std::ranges::sort(ids);
  std::vector<CourseMark> marks;
  for (const RowId id : ids) {
    const std::vector<EventRow> rows = store.events().of(session, id - 1, 1);
    if (rows.empty() || rows.front().id != id || rows.front().trials < 0) continue;
    const EventRow& row = rows.front();
    const std::optional<Event> event = eventOf(row);
    std::optional<CourseMark> mark = event ? markOf(*event) : std::nullopt;
    if (!mark) continue;
    mark->trials = row.trials;
    mark->wallSeconds = row.wallSeconds;
    marks.push_back(std::move(*mark));
  }
  return marks;
}

} // namespace nestwright
