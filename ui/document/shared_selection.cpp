#include "ui/document/shared_selection.h"

#include "ui/kit/stored_value.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::ui {

std::optional<Selection> selectionOf(const LiveSession& session) {
  const nlohmann::json state = nlohmann::json::parse(session.contents().viewState, nullptr, false);
  if (!state.is_object()) return std::nullopt;
  const auto number = [&](const char* key) { return storedValue(state, key, RowId(-1)); };
  if (number("session") != session.row().id) return std::nullopt;
  const RowId task = number("task"), record = number("record");
  if (task != 0 && !session.task(task)) return std::nullopt;
  return Selection{task, std::max<RowId>(record, 0)};
}

SharedSelection::SharedSelection(const LiveSession& session, QObject* parent)
    : QObject(parent), session_(session) {}

void SharedSelection::select(const Selection& selection) {
  if (selection == current_) return;
  current_ = selection;
  Q_EMIT changed();
}

void SharedSelection::compare(const ProgramPair& programs) {
  compared_ = programs;
  Q_EMIT comparedChanged();
}

void SharedSelection::cross(RowId task, const std::vector<RowId>& records) {
  if (session_.task(task)) Q_EMIT crossingWanted(task, records);
}

} // namespace nestwright::ui

#include "moc_shared_selection.cpp"
