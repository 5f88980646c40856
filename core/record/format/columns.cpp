#include "core/record/format/columns.h"

#include "core/record/format/bytes.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// A hash in lower-case hexadecimal as bytes; empty when the text is no such thing.
std::string hexToBytes(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0) return {};
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hexDigit(text[i]), low = hexDigit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += char(high << 4 | low);
  }
  return bytes;
}

std::string bytesToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[std::uint8_t(byte) >> 4];
    text += kDigits[std::uint8_t(byte) & 15];
  }
  return text;
}

} // namespace

void bindReference(sqlite::Statement& statement, int index, RowId id) {
  if (id == 0)
    statement.bindAt(index, nullptr);
  else
    statement.bindAt(index, id);
}

void bindPacked(sqlite::Statement& statement, int index, std::string_view text) {
  const PackedText packed = pack(text);
  if (packed.packed)
    statement.bindBlob(index, packed.bytes);
  else
    statement.bindAt(index, packed.bytes);
}

std::string readPacked(const sqlite::Statement& row, int column) {
  return row.isBlob(column) ? unpack(row.view(column)) : row.text(column);
}

void bindProgramId(sqlite::Statement& statement, int index, const std::string& program) {
  const std::string bytes = hexToBytes(program);
  if (bytes.empty())
    statement.bindAt(index, program);
  else
    statement.bindBlob(index, bytes);
}

std::string readProgramId(const sqlite::Statement& row, int column) {
  return row.isBlob(column) ? bytesToHex(row.view(column)) : row.text(column);
}

SessionStatus readStatus(const sqlite::Statement& row, int column) {
  try {
    return statusFromName(row.view(column));
  } catch (const InputError& error) {
    throw InputError(fmt::format("damaged file: {}", error.what()));
  }
}

} // namespace nestwright
