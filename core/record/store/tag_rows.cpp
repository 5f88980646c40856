#include "core/record/store/tag_rows.h"

#include "core/record/sql/sqlite.h"
#include "core/support/error.h"

#include <set>

namespace nestwright {

namespace {

using sqlite::Statement;

constexpr std::size_t kLongestTag = 100;

void requireTag(std::string_view tag) {
  if (tag.empty() || tag.size() > kLongestTag || tag.front() == ' ' || tag.back() == ' ')
    throw InputError(
        fmt::format("a tag is a word of 1 to {} letters without blanks around it", kLongestTag));
  if (tag == "any" || tag == "none")
    throw InputError(fmt::format("\"{}\" cannot be a tag, because the filter tag:{} has a meaning "
                                 "of its own; take another word",
                                 tag, tag));
}

} // namespace

std::vector<RowId> TagRows::set(std::string_view tag, const std::vector<RowId>& records, bool on) {
  requireTag(tag);
  std::vector<RowId> changed;
  db_.transaction([&] {
    db_.prepare("INSERT OR IGNORE INTO tag (name) VALUES (?)").bind(tag).run();
    Statement find = db_.prepare("SELECT id FROM tag WHERE name = ?");
    find.bind(tag).step();
    const RowId id = find.integer(0);
    Statement change =
        db_.prepare(on ? "INSERT OR IGNORE INTO record_tag (tag, record) VALUES (?, ?)"
                       : "DELETE FROM record_tag WHERE tag = ? AND record = ?");
    for (const RowId record : std::set<RowId>(records.begin(), records.end())) {
      if (!db_.prepare("SELECT 1 FROM record WHERE id = ?").bind(record).step())
        throw InputError(fmt::format("{}: there is no record {} in the file", db_.path(), record));
      change.bind(id, record).run();
      if (db_.integer("SELECT changes()") > 0) changed.push_back(record);
    }
    find.reset();
    // A tag that nobody carries is none.
    db_.prepare("DELETE FROM tag WHERE id = ? AND id NOT IN (SELECT tag FROM record_tag)")
        .bind(id)
        .run();
  });
  return changed;
}

std::vector<TagCount> TagRows::all() const {
  std::vector<TagCount> tags;
  Statement rows =
      db_.prepare("SELECT tag.name, count(*) FROM tag JOIN record_tag ON record_tag.tag = tag.id "
                  "GROUP BY tag.id ORDER BY tag.name");
  while (rows.step())
    tags.push_back({rows.text(0), rows.integer(1)});
  return tags;
}

} // namespace nestwright
