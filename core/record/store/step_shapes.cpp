#include "core/record/store/step_shapes.h"

#include "core/record/sql/sqlite.h"
#include "core/support/error.h"
#include "core/support/hash.h"

namespace nestwright {

namespace {

using sqlite::Statement;

constexpr std::size_t kCachedShapes = 1 << 14;

} // namespace

RowId StepShapes::id(const std::string& shape) {
  if (const auto known = ids_.find(shape); known != ids_.end()) return known->second;
  const auto hash = std::int64_t(hash64(shape));
  RowId id = 0;
  Statement find = db_.prepare("SELECT id, steps FROM shape WHERE hash = ?");
  find.bind(hash);
  while (id == 0 && find.step())
    if (find.view(1) == shape) id = find.integer(0);
  if (id == 0) {
    Statement insert = db_.prepare("INSERT INTO shape (hash, steps) VALUES (?, ?)");
    insert.bindAt(1, hash).bindBlob(2, shape).run();
    id = db_.lastInsertId();
  }
  if (ids_.size() >= kCachedShapes) ids_.clear();
  return ids_[shape] = id;
}

const std::string& StepShapes::of(RowId id) {
  if (const auto known = shapes_.find(id); known != shapes_.end()) return known->second;
  Statement find = db_.prepare("SELECT steps FROM shape WHERE id = ?");
  if (!find.bind(id).step())
    throw InputError(fmt::format("{}: the file is damaged: shape {} is missing", db_.path(), id));
  if (shapes_.size() >= kCachedShapes) shapes_.clear();
  return shapes_[id] = find.text(0);
}

void StepShapes::forget() {
  ids_.clear();
  shapes_.clear();
}

} // namespace nestwright
