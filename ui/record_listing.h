#pragma once
/// \file Which records a table lists, in which order.

#include "core/record/store.h"

namespace nestwright::ui {

class Document;

struct RecordListing {
  nestwright::RecordFilter filter; // of the user
  RowId task = 0;                  // 0: all; without effect where the filter names tasks
  bool allSessions = false;        // otherwise those of the session in hand, unless it names some
  RecordQuery::Order order = RecordQuery::Order::Newest;
  friend bool operator==(const RecordListing&, const RecordListing&) = default;
};

/// The question to the file, without limit; in a replay without what has not happened yet.
RecordQuery queryOf(const Document& document, const RecordListing& listing);

/// The same records in whatever order.
bool sameRecords(const RecordListing& a, const RecordListing& b);

} // namespace nestwright::ui
