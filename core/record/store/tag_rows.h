#pragma once
/// \file The words that users put on records.

#include "core/record/rows/tag_count.h"
#include "core/record/store/rows.h"
#include "core/support/row_id.h"

#include <string_view>
#include <vector>

namespace nestwright {

/// Any number of tags on any number of records.
class TagRows : public Rows {
 public:
  using Rows::Rows;

  /// Puts a tag on records, or takes it away. Returns the records that changed, ascending. Throws
  /// InputError, and changes nothing, when one is not in the file or the tag is empty, longer than
  /// 100 bytes, or "any" or "none", which filters use.
  std::vector<RowId> set(std::string_view tag, const std::vector<RowId>& records, bool on);

  /// The tags in use, by name.
  std::vector<TagCount> all() const;
};

} // namespace nestwright
