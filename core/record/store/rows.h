#pragma once
/// \file What the parts of a RecordStore have in common.

namespace nestwright {

namespace sqlite {
class Database;
}

/// The rows of one kind in an open file. Reading is const, so whoever has a const store cannot
/// write. Valid as long as the connection: that of a store, or whoever's made it.
class Rows {
 public:
  explicit Rows(sqlite::Database& db) : db_(db) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

 protected:
  ~Rows() = default;
  sqlite::Database& db_;
};

} // namespace nestwright
