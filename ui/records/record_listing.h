#pragma once
/// \file Which records a table lists, in which order, and which of them are selected.

#include "core/record/query/record_browser.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace nestwright::ui {

class Document;

/// How long what is counted over the records, and a page that is drawn from them, wait once there
/// are more.
inline constexpr int kCountAgainMilliseconds = 2000, kDrawAgainMilliseconds = 5000;

struct RecordListing {
  nestwright::RecordFilter filter; // of the user
  RowId task = 0;                  // 0: all; without effect where the filter names tasks
  bool allSessions = false;        // otherwise those of the session in hand, unless it names some
  BrowseOrder order = BrowseOrder::Newest;
  friend bool operator==(const RecordListing&, const RecordListing&) = default;
};

/// The selected rows of the table, and their records. Of more rows than kMost, for which there are
/// filters, none is named; fewer are while some rows' records are not known.
struct SelectedRecords {
  static constexpr std::int64_t kMost = 100'000;
  std::int64_t rows = 0;
  std::vector<RowId> records;
};

/// Why not each of them is named, for a person; empty when they are, and when no row is selected.
QString whyNotNamed(const SelectedRecords& selected);

/// The question to the file, without limit; in a replay without what has not happened yet. In an
/// order that pages of a RecordStore do not have, it asks for the newest first.
RecordQuery queryOf(const Document& document, const RecordListing& listing);

/// In a replay: how many records it has to leave out, because they were forgotten and no log tells
/// when. Otherwise empty.
QString untoldText(const Document& document);

/// The same records in whatever order.
bool sameRecords(const RecordListing& a, const RecordListing& b);

} // namespace nestwright::ui
