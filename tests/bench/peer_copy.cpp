#include "tests/bench/peers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace nestwright::bench {
namespace {

/// Reads the bytes, and leaves what it writes in the first-level cache.
void read(const std::byte* from, std::size_t bytes) {
  std::array<std::byte, 8192> near;
  for (std::size_t at = 0; at < bytes; at += near.size()) {
    std::memcpy(near.data(), from + at, std::min(near.size(), bytes - at));
    asm volatile("" : : "r"(near.data()) : "memory"); // a copy that nobody reads is left out
  }
}

} // namespace

Contender copy(const InputSets& inputs) {
  std::size_t written = 0;
  for (const Op& op : inputs.dag().outputs())
    written += static_cast<std::size_t>(op->output->bytes());
  std::vector<std::size_t> sizes;
  for (const Op& op : inputs.dag().inputs())
    sizes.push_back(static_cast<std::size_t>(op->output->bytes()));
  auto results = std::make_shared<std::vector<test::AlignedBytes>>();
  for (std::size_t set = 0; set < inputs.size(); ++set)
    results->emplace_back(static_cast<std::int64_t>(written));
  return {"copy", "memcpy",
          [inputs = &inputs, results, sizes, written](std::size_t set) {
            std::byte* to = (*results)[set].as<std::byte>();
            const std::vector<void*> given = inputs->inputs(set);
            std::size_t left = written;
            for (std::size_t i = 0; i < given.size(); ++i) {
              const auto* from = static_cast<const std::byte*>(given[i]);
              const std::size_t bytes = sizes[i], copied = std::min(left, bytes);
              std::memcpy(to + (written - left), from, copied);
              read(from + copied, bytes - copied);
              left -= copied;
            }
            std::memset(to + (written - left), 0, left);
          },
          nullptr};
}

} // namespace nestwright::bench
