#pragma once
/// \file The events of a file's sessions.

#include "core/record/rows/event_row.h"
#include "core/record/store/rows.h"

#include <optional>
#include <string_view>
#include <vector>

namespace nestwright {

/// What sessions told, in the order of telling. An event stays as it was stored.
class EventRows : public Rows {
 public:
  using Rows::Rows;

  RowId add(const EventRow& event);

  /// The session's events after `after`, oldest first.
  std::vector<EventRow> of(RowId session, RowId after = 0, int limit = 10000) const;
  /// Those of one kind, without reading what they say.
  std::vector<RowId> ids(RowId session, std::string_view kind, RowId after = 0,
                         int limit = 100000) const;
  std::optional<EventRow> one(RowId id) const;
  /// The last events of the session, oldest first.
  std::vector<EventRow> newest(RowId session, int limit) const;
};

} // namespace nestwright
