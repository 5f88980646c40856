#pragma once
/// \file SQLite without the care that the product takes: whatever SQLite allows is done.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace nestwright::fuzz {

/// A cell of any type.
struct Cell {
  enum class Type : std::uint8_t { Null, Integer, Real, Text, Blob } type = Type::Null;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes; // of a text or blob
};

/// Statements that SQLite refuses change nothing and are no error here.
class RawDatabase {
 public:
  explicit RawDatabase(const std::filesystem::path& file);

  void run(const std::string& sql, const std::vector<Cell>& values = {});
  /// The rows' cells.
  std::vector<std::vector<Cell>> rows(const std::string& sql, const std::vector<Cell>& values = {});
  /// The first column's texts.
  std::vector<std::string> texts(const std::string& sql);
  std::int64_t count(const std::string& table);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

Cell textCell(std::string text);
Cell blobCell(std::string bytes);
Cell integerCell(std::int64_t value);

} // namespace nestwright::fuzz
