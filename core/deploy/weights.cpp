#include "core/deploy/weights.h"

#include "core/network/execution/stored_values.h"
#include "core/support/error.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
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

} // namespace

WeightsLayout weightsLayout(const ExecutionPlan& plan) {
  WeightsLayout layout;
  layout.bytes = kWeightsHeaderBytes;
  for (const PlannedBuffer& buffer : plan.buffers) {
    const bool constant = buffer.place == PlannedBuffer::Place::Constant;
    layout.offsets.push_back(constant ? layout.bytes : -1);
    if (constant) layout.bytes += aligned(buffer.bytes);
  }
  return layout;
}

std::uint64_t weightsChecksum(std::span<const std::uint8_t> bytes) {
  RunningChecksum sum;
  sum.add(bytes);
  return sum.value();
}

std::uint64_t writeWeights(const Library& library, const std::string& path) {
  const Network& network = library.deployment.partition.network;
  Header header;
  header.bytes =
      static_cast<std::uint64_t>(weightsLayout(library.plan).bytes - kWeightsHeaderBytes);
  File file(path);
  file.write(&header, sizeof header);
  RunningChecksum sum;
  for (const PlannedBuffer& buffer : library.plan.buffers) {
    if (buffer.place != PlannedBuffer::Place::Constant) continue;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(aligned(buffer.bytes)));
    storeConstant(network.tensor(buffer.tensor), buffer, bytes.data());
    sum.add(bytes);
    file.write(bytes.data(), bytes.size());
  }
  header.checksum = sum.value();
  file.rewind();
  file.write(&header, sizeof header);
  file.close();
  return header.checksum;
}

} // namespace nestwright
