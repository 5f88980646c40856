#include "ui/records/record_scope.h"

#include "core/session/run/row_contents.h"
#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <QUndoStack>

#include <algorithm>

namespace nestwright::ui {
namespace {

/// Orders in the document's state; never changed.
constexpr const char* kOrderKeys[] = {"newest",      "oldest",          "fastest", "slowest",
                                      "first-trial", "last-trial",      "task",    "task-down",
                                      "verdict",     "verdict-down",    "session", "session-down",
                                      "throughput",  "throughput-down", "wall",    "wall-down"};

constexpr int kMostLetters = 50; // of a filter in the Edit menu

QString shortened(const QString& words) {
  return words.size() > kMostLetters ? words.left(kMostLetters - 1) + QStringLiteral("…") : words;
}

/// Such a file is looked at as a whole: which log came with which import says little.
bool holdsOnlyImports(const Document& document) {
  return document.state() == DocumentState::Ready &&
         std::ranges::all_of(document.session().contents().sessions, isImport);
}

void replace(RecordFilter& filter, const FilterCondition& condition) {
  std::erase_if(filter.conditions,
                [&](const FilterCondition& known) { return known.field == condition.field; });
  if (!condition.values.empty()) filter.conditions.push_back(condition);
}

} // namespace

RecordScope::RecordScope(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document.follower(), &SessionFollower::scopeChanged, this, &RecordScope::changed);
}

bool RecordScope::allSessions() const {
  return document_.follower().scope() == Scope::WholeFile &&
         document_.session().contents().sessions.size() > 1;
}

RecordListing RecordScope::listing() const {
  RecordListing listing;
  listing.filter = filter_;
  listing.order = order_;
  listing.allSessions = allSessions();
  if (following_) listing.task = document_.selection().current().task;
  return listing;
}

RecordFilter RecordScope::with(const FilterCondition& condition) const {
  RecordFilter filter = filter_;
  replace(filter, condition);
  return filter;
}

void RecordScope::apply(const RecordFilter& filter) {
  filter_ = filter;
  Q_EMIT filterChanged(filter_);
  Q_EMIT changed();
}

void RecordScope::setFilter(const RecordFilter& filter) {
  if (filter == filter_) return;
  const QString words =
      filter.empty() ? tr("cleared filter") : tr("filter %1").arg(qs(print(filter)));
  document_.undoStack().push(new Change(
      shortened(words), [=, this] { apply(filter); },
      [=, this, before = filter_] { apply(before); }, QStringLiteral("records/filter")));
}

void RecordScope::narrow(const std::vector<FilterCondition>& conditions) {
  RecordFilter filter = filter_;
  for (const FilterCondition& condition : conditions)
    replace(filter, condition);
  setFilter(filter);
}

void RecordScope::setOrder(BrowseOrder order) {
  order_ = order;
  Q_EMIT changed();
}

void RecordScope::setFollowing(bool following) {
  following_ = following;
  Q_EMIT changed();
}

nlohmann::json RecordScope::viewState() const {
  return {{"filter", print(filter_)}, {"order", kOrderKeys[int(order_)]}, {"follow", following_}};
}

void RecordScope::restoreViewState(const nlohmann::json& state) {
  try {
    filter_ = parseRecordFilter(storedText(state, "filter"));
  } catch (const FilterError&) {
    filter_ = {}; // of a newer version
  }
  order_ = BrowseOrder::Newest;
  for (std::size_t i = 0; i < std::size(kOrderKeys); ++i)
    if (storedText(state, "order") == kOrderKeys[i]) order_ = BrowseOrder(i);
  following_ = storedValue(state, "follow", !holdsOnlyImports(document_));
  Q_EMIT filterChanged(filter_);
}

} // namespace nestwright::ui

#include "moc_record_scope.cpp"
