#include "ui/record_listing.h"

#include "ui/document.h"

#include <limits>

namespace nestwright::ui {

RecordQuery queryOf(const Document& document, const RecordListing& listing) {
  RecordQuery query;
  query.filter = listing.filter;
  if (listing.order <= BrowseOrder::ByVerdictDown)
    query.order = static_cast<RecordQuery::Order>(listing.order);
  if (!listing.allSessions && !listing.filter.has(FilterField::Session))
    query.session = document.session().id;
  if (!listing.filter.has(FilterField::Task)) query.task = listing.task;
  if (const RowId newest = document.newestRecord(); newest < std::numeric_limits<RowId>::max())
    query.upTo = newest > 0 ? newest : -1; // before the first record there is none
  return query;
}

bool sameRecords(const RecordListing& a, const RecordListing& b) {
  return a.filter == b.filter && a.task == b.task && a.allSessions == b.allSessions;
}

} // namespace nestwright::ui
