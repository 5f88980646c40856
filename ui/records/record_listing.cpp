#include "ui/records/record_listing.h"

#include "ui/document/document.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QCoreApplication>

#include <iterator>
#include <limits>

namespace nestwright::ui {

RecordQuery queryOf(const Document& document, const RecordListing& listing) {
  RecordQuery query;
  query.filter = listing.filter;
  if (listing.order <= BrowseOrder::ByVerdictDown)
    query.order = static_cast<RecordQuery::Order>(listing.order);
  if (!listing.allSessions && !listing.filter.has(FilterField::Session))
    query.session = document.session().row().id;
  if (!listing.filter.has(FilterField::Task)) query.task = listing.task;
  query.marks = document.replayMode().otherMarks();
  if (const RowId newest = document.replayMode().newestRecord();
      newest < std::numeric_limits<RowId>::max())
    query.upTo = newest > 0 ? newest : -1; // before the first record there is none
  return query;
}

QString whyNotNamed(const SelectedRecords& selected) {
  if (selected.rows > SelectedRecords::kMost)
    return tr("%1 records are selected; at most %2 can be taken at once. Select fewer, or find "
              "them by a filter.")
        .arg(countText(selected.rows), countText(SelectedRecords::kMost));
  return std::ssize(selected.records) < selected.rows
             ? tr("Some of the selected rows have not been read yet.")
             : QString();
}

QString untoldText(const Document& document) {
  const auto past =
      document.replayMode().isOn() ? document.replayMode().replay()->timeline() : nullptr;
  if (!past || past->untold() == 0) return {};
  return QCoreApplication::translate("RecordView",
                                     " · without %1 forgotten at a time that no log tells")
      .arg(countText(past->untold()));
}

bool sameRecords(const RecordListing& a, const RecordListing& b) {
  return a.filter == b.filter && a.task == b.task && a.allSessions == b.allSessions;
}

} // namespace nestwright::ui
