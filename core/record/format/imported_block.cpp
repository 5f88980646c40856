#include "core/record/format/imported_block.h"

#include "core/record/format/bytes.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace nestwright {

namespace {

/// First byte of a block: how the rest is laid out.
constexpr std::uint64_t kLayout = 1;
constexpr int kCompressionLevel = 6;
constexpr std::size_t kLargestBlock = 256 << 20;

/// How the repeats of an outcome are kept; its low bits.
enum Form : std::uint64_t { kDecimals = 0, kReals = 1 };
constexpr int kFormBits = 1;
constexpr std::int64_t kOutcomeExponentBias = 32;

/// How the times of an item are kept: one number before its time.
enum TimeForm : std::uint64_t { kOnSecond = 1, kWholeMeasuring = 2, kBetweenMicroseconds = 4 };

/// The digits of all numbers at one exponent; empty when some number is not short enough.
std::vector<std::int64_t> commonDigits(const std::vector<double>& numbers, int& exponent) {
  constexpr std::int64_t kMostDigits = 1'000'000'000'000'000;
  std::vector<Decimal> decimals;
  exponent = std::numeric_limits<int>::max();
  for (const double number : numbers) {
    decimals.push_back(shortDecimal(number));
    if (decimals.back().digits == 0) return {};
    exponent = std::min(exponent, decimals.back().exponent);
  }
  std::vector<std::int64_t> digits;
  for (const Decimal& decimal : decimals) {
    auto value = std::int64_t(decimal.digits);
    for (int e = decimal.exponent; e > exponent; --e) {
      value *= 10;
      if (value > kMostDigits) return {};
    }
    digits.push_back(value);
  }
  return digits;
}

/// The number that digits at an exponent stand for, also when they end in zeros.
double numberOf(std::int64_t digits, int exponent) {
  if (digits <= 0) throw InputError("damaged record: a time is not positive");
  for (; digits % 10 == 0; digits /= 10)
    ++exponent;
  return valueOf({std::uint64_t(digits), exponent});
}

/// Same fields of all records stand together, where they resemble one another most.
std::string columns(const ImportedBlock& block) {
  ByteWriter out;
  out.natural(kLayout);
  out.natural(block.origins.size());
  for (const std::string& origin : block.origins)
    out.text(origin);
  out.natural(block.items.size());
  std::int64_t before = 0;
  for (const ImportedItem& item : block.items) {
    if (block.origins.size() > 1) out.natural(std::uint64_t(item.origin));
    out.natural(item.values.size() << 1 | (item.isConfig ? 1 : 0));
    const bool whole = item.startedAt % kMicrosecondsPerSecond == 0;
    const std::int64_t time = whole ? item.startedAt / kMicrosecondsPerSecond : item.startedAt;
    const std::int64_t difference = std::int64_t(std::uint64_t(time) - std::uint64_t(before));
    const NumberSpelling& spelling = item.spelling;
    std::uint64_t form = 0;
    if (whole) form |= kOnSecond;
    if (spelling.wholeSeconds) form |= kWholeMeasuring;
    if (spelling.startUlps != 0) form |= kBetweenMicroseconds;
    out.natural(form);
    out.integer(difference);
    if (spelling.startUlps != 0) out.integer(spelling.startUlps);
    before = time;
  }
  std::string bytes = out.bytes();
  for (const ImportedItem& item : block.items)
    bytes += item.values;
  for (const ImportedItem& item : block.items) {
    ByteWriter outcome;
    outcome.text(item.outcome);
    bytes += outcome.bytes();
  }
  return bytes;
}

} // namespace

double exactStart(std::int64_t startedAt, const NumberSpelling& spelling) {
  const double rounded = double(startedAt) / kMicrosecondsPerSecond;
  if (spelling.startUlps == 0) return rounded;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(rounded) +
                               std::uint64_t(spelling.startUlps));
}

std::int64_t startUlps(double seconds, std::int64_t startedAt) {
  const double rounded = double(startedAt) / kMicrosecondsPerSecond;
  return std::int64_t(std::bit_cast<std::uint64_t>(seconds) -
                      std::bit_cast<std::uint64_t>(rounded));
}

std::string encodeOutcome(const std::vector<double>& seconds, double allSeconds) {
  ByteWriter out;
  int exponent = 0;
  const std::vector<std::int64_t> digits = commonDigits(seconds, exponent);
  const bool decimal =
      !digits.empty() && exponent >= -kOutcomeExponentBias && exponent < kOutcomeExponentBias;
  out.natural(seconds.size() << kFormBits | (decimal ? kDecimals : kReals));
  if (decimal) {
    out.natural(std::uint64_t(exponent + kOutcomeExponentBias));
    std::int64_t before = 0;
    for (const std::int64_t value : digits) {
      out.integer(value - before);
      before = value;
    }
  } else {
    for (const double value : seconds)
      out.real(value);
  }
  out.real(allSeconds);
  return out.bytes();
}

void decodeOutcome(std::string_view bytes, MeasureResult& result) {
  ByteReader in(bytes);
  const std::uint64_t head = in.natural();
  if (head >> kFormBits > bytes.size()) throw InputError("damaged record: too many repeats");
  result.seconds.resize(std::size_t(head >> kFormBits));
  if ((head & ((1u << kFormBits) - 1)) == kDecimals) {
    const std::uint64_t exponent = in.natural();
    if (exponent >= std::uint64_t(2 * kOutcomeExponentBias))
      throw InputError("damaged record: a time is impossible");
    std::int64_t digits = 0;
    for (double& seconds : result.seconds) {
      digits = std::int64_t(std::uint64_t(digits) + std::uint64_t(in.integer()));
      seconds = numberOf(digits, int(std::int64_t(exponent) - kOutcomeExponentBias));
    }
  } else {
    for (double& seconds : result.seconds)
      seconds = in.real();
  }
  result.runSeconds = in.real();
  if (!in.atEnd()) throw InputError("damaged record: bytes left over");
}

std::string encodeBlock(const ImportedBlock& block) {
  return compress(columns(block), kCompressionLevel);
}

ImportedBlock decodeBlock(std::string_view bytes) {
  const std::string plain = decompress(bytes, kLargestBlock, "its block");
  ByteReader in(plain);
  if (in.natural() != kLayout)
    throw InputError("a block of imported records is of a newer version of the file");
  ImportedBlock block;
  block.origins.resize(in.count());
  for (std::string& origin : block.origins)
    origin = in.text();
  block.items.resize(in.count());
  std::vector<std::size_t> sizes;
  std::int64_t before = 0;
  for (ImportedItem& item : block.items) {
    if (block.origins.size() > 1) item.origin = int(in.natural());
    if (item.origin < 0 ||
        std::size_t(item.origin) >= std::max<std::size_t>(1, block.origins.size()))
      throw InputError("damaged record: its origin is not in the block");
    const std::uint64_t head = in.natural();
    sizes.push_back(std::size_t(head >> 1));
    item.isConfig = (head & 1) != 0;
    const std::uint64_t form = in.natural();
    const bool whole = (form & kOnSecond) != 0;
    before = std::int64_t(std::uint64_t(before) + std::uint64_t(in.integer()));
    item.startedAt = std::int64_t(std::uint64_t(before) * (whole ? kMicrosecondsPerSecond : 1));
    item.spelling.wholeSeconds = (form & kWholeMeasuring) != 0;
    if ((form & kBetweenMicroseconds) != 0) item.spelling.startUlps = in.integer();
  }
  for (std::size_t i = 0; i < sizes.size(); ++i)
    block.items[i].values = in.raw(sizes[i]);
  for (ImportedItem& item : block.items)
    item.outcome = in.text();
  if (!in.atEnd()) throw InputError("damaged record: bytes left over in its block");
  return block;
}

} // namespace nestwright
