#include "core/record/format/stored_block.h"

#include "core/support/error.h"

#include <utility>

namespace nestwright {

bool StoredBlock::holds(RowId record) const {
  return record >= first && record - first < RowId(content.items.size());
}

const ImportedItem& StoredBlock::item(RowId record) const {
  NW_ASSERT(holds(record), "record {} of a block from {}", record, first);
  return content.items[std::size_t(record - first)];
}

std::optional<StoredBlock> findBlock(sqlite::Database& db, RowId record) {
  sqlite::Statement find = db.prepare("SELECT first, records, source, bytes FROM record_block "
                                      "WHERE first <= ? ORDER BY first DESC LIMIT 1");
  if (!find.bind(record).step() || record - find.integer(0) >= find.integer(1)) return std::nullopt;
  StoredBlock block{find.integer(0), find.integer(2), find.text(3), {}};
  block.content = decodeBlock(block.bytes);
  if (std::int64_t(block.content.items.size()) != find.integer(1))
    throw InputError("the file is damaged: the block that holds it is incomplete");
  return block;
}

StoredBlock blockOf(sqlite::Database& db, RowId record) {
  std::optional<StoredBlock> block = findBlock(db, record);
  if (!block) throw InputError("the file is damaged: the block that holds it is missing");
  return std::move(*block);
}

} // namespace nestwright
