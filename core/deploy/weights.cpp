#include "core/deploy/weights.h"

#include "core/network/execution/stored_values.h"
#include "core/support/error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

namespace nestwright {

namespace {

constexpr std::size_t kLanes = 4;
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;

/// The sum as bytes come.
class RunningChecksum {
 public:
  void add(std::span<const std::uint8_t> bytes) {
    NW_ASSERT(bytes.size() % 64 == 0, "{} bytes are no multiple of 64", bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += 8 * kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at + 8 * lane, sizeof word);
        lanes_[lane] = mixed(lanes_[lane] ^ word);
      }
  }

  std::uint64_t value() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t lane : lanes_)
      sum = mixed(sum ^ lane);
    return sum;
  }

 private:
  static std::uint64_t mixed(std::uint64_t value) {
    value *= kFactor;
    return value ^ (value >> 32);
  }
  std::array<std::uint64_t, kLanes> lanes_ = {1, 2, 3, 4};
};

struct Header {
  std::array<char, 8> magic = {'N', 'W', 'W', 'E', 'I', 'G', 'H', 'T'};
  std::uint32_t version = 1, reserved = 0;
  std::uint64_t bytes = 0, checksum = 0; // of what follows
  std::array<std::uint64_t, 4> padding{};
};
static_assert(sizeof(Header) == kWeightsHeaderBytes);

class File {
 public:
  explicit File(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (!file_) fail();
  }
  ~File() {
    if (file_) std::fclose(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const void* bytes, std::size_t size) {
    if (std::fwrite(bytes, 1, size, file_) != size) fail();
  }
  void rewind() {
    if (std::fseek(file_, 0, SEEK_SET) != 0) fail();
  }
  void close() {
    std::FILE* const file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw SystemError(fmt::format("{} cannot be written: {}", path_, std::strerror(errno)));
  }
  std::string path_;
  std::FILE* file_;
};

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

/// A constant in one order of its elements, and all that read it so.
struct SharedConstant {
  unsigned variants = 0;
  std::vector<WeightsLayout::Constant> readers;
};

std::vector<SharedConstant> sharedConstants(const std::vector<LibraryVariant>& variants) {
  std::vector<SharedConstant> all;
  std::multimap<TensorId, std::size_t> known; // in `all`
  const auto bufferOf = [&](const WeightsLayout::Constant& one) -> const PlannedBuffer& {
    return variants[one.variant].plan.buffers[one.buffer];
  };
  for (WeightsLayout::Constant one; one.variant < variants.size(); ++one.variant)
    for (one.buffer = 0; one.buffer < variants[one.variant].plan.buffers.size(); ++one.buffer) {
      const PlannedBuffer& buffer = bufferOf(one);
      if (buffer.place != PlannedBuffer::Place::Constant) continue;
      const auto [begin, end] = known.equal_range(buffer.tensor);
      auto found = std::find_if(begin, end, [&](const auto& entry) {
        return bufferOf(all[entry.second].readers.front()).layout == buffer.layout;
      });
      if (found == end) {
        found = known.emplace(buffer.tensor, all.size());
        all.emplace_back();
      }
      SharedConstant& constant = all[found->second];
      constant.variants |= 1U << one.variant;
      constant.readers.push_back(one);
    }
  return all;
}

} // namespace

WeightsLayout weightsLayout(const std::vector<LibraryVariant>& variants) {
  WeightsLayout layout;
  layout.bytes = kWeightsHeaderBytes;
  std::vector<SharedConstant> all = sharedConstants(variants);
  // What most share comes first.
  std::ranges::stable_sort(all, std::ranges::greater(), [](const SharedConstant& one) {
    return std::pair(std::popcount(one.variants), one.variants);
  });
  for (const LibraryVariant& variant : variants)
    layout.offsets.emplace_back(variant.plan.buffers.size(), -1);
  for (const SharedConstant& constant : all) {
    if (layout.parts.empty() || layout.parts.back().variants != constant.variants)
      layout.parts.push_back({constant.variants, layout.bytes, 0, {}});
    for (const WeightsLayout::Constant& reader : constant.readers)
      layout.offsets[reader.variant][reader.buffer] = layout.bytes;
    const WeightsLayout::Constant& first = constant.readers.front();
    const std::int64_t bytes = aligned(variants[first.variant].plan.buffers[first.buffer].bytes);
    layout.parts.back().constants.push_back(first);
    layout.parts.back().bytes += bytes;
    layout.bytes += bytes;
  }
  return layout;
}

std::uint64_t weightsChecksum(std::span<const std::uint8_t> bytes) {
  RunningChecksum sum;
  sum.add(bytes);
  return sum.value();
}

std::array<std::uint8_t, kWeightsHeaderBytes> weightsHeader(std::int64_t fileBytes,
                                                            std::uint64_t sum) {
  Header header;
  header.bytes = static_cast<std::uint64_t>(fileBytes - kWeightsHeaderBytes);
  header.checksum = sum;
  return std::bit_cast<std::array<std::uint8_t, kWeightsHeaderBytes>>(header);
}

WeightsSums writeWeights(const Library& library, const std::string& path) {
  const Network& network = library.deployment.partition.network;
  const WeightsLayout layout = weightsLayout(library.variants);
  File file(path);
  const auto begin = weightsHeader(layout.bytes, 0); // its place
  file.write(begin.data(), begin.size());
  RunningChecksum all;
  WeightsSums sums;
  for (const WeightsLayout::Part& part : layout.parts) {
    RunningChecksum sum;
    for (const WeightsLayout::Constant& constant : part.constants) {
      const PlannedBuffer& buffer =
          library.variants[constant.variant].plan.buffers[constant.buffer];
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(aligned(buffer.bytes)));
      storeConstant(network.tensor(buffer.tensor), buffer, bytes.data());
      sum.add(bytes);
      all.add(bytes);
      file.write(bytes.data(), bytes.size());
    }
    sums.parts.push_back(sum.value());
  }
  sums.all = all.value();
  const auto header = weightsHeader(layout.bytes, sums.all);
  file.rewind();
  file.write(header.data(), header.size());
  file.close();
  return sums;
}

} // namespace nestwright
