#include "plugins/cuda/driver/device_memory.h"

#include "core/support/quantity.h"
#include "core/support/units.h"

#include <algorithm>
#include <vector>

namespace nestwright::cuda {
namespace {

constexpr std::size_t kGuardBytes = 4096, kUnit = 256;
constexpr std::uint8_t kGuardValue = 0xa5;
constexpr std::int64_t kLeftForOthers = 1ll << 30;

/// The guard behind a piece also takes what is left of its last unit.
std::size_t guardBehind(std::size_t bytes) {
  return kGuardBytes + (kUnit - bytes % kUnit) % kUnit;
}

std::size_t spoilt(const std::vector<std::uint8_t>& guard) {
  return guard.size() - static_cast<std::size_t>(std::ranges::count(guard, kGuardValue));
}

} // namespace

DeviceMemory::~DeviceMemory() {
  while (!pieces_.empty())
    release(pieces_.begin()->first);
}

void DeviceMemory::requireRoom(std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  const auto inWords = [](std::int64_t size) { return formatBytes(static_cast<double>(size)); };
  if (budget_ > 0 && wanted > budget_ - taken_)
    throw DeviceError(DeviceFault::OutOfMemory, "",
                      fmt::format("the program wants {} more of the device's memory and has {} of "
                                  "at most {} (measure option memory_limit_bytes)",
                                  inWords(wanted), inWords(taken_), inWords(budget_)));
  std::size_t free = 0, total = 0;
  context_.check(context_.api().memoryInfo(&free, &total), "tell how much memory is free");
  const std::int64_t room = static_cast<std::int64_t>(free) - kLeftForOthers;
  if (wanted > room)
    throw DeviceError(DeviceFault::OutOfMemory, "",
                      fmt::format("the program wants {} of the device's memory, of which {} are "
                                  "free and {} of these are left to others; it takes a device with "
                                  "more, or one that is free",
                                  inWords(wanted), inWords(static_cast<std::int64_t>(free)),
                                  inWords(kLeftForOthers)));
}

CuAddress DeviceMemory::allocate(std::size_t bytes) {
  requireRoom(bytes);
  Piece piece{0, bytes};
  context_.check(context_.api().allocate(&piece.base, kGuardBytes + bytes + guardBehind(bytes)),
                 "allocate " + quantity(std::int64_t(bytes), "byte"));
  try {
    setGuards(piece);
  } catch (...) {
    (void)context_.driver().api().free(piece.base);
    throw;
  }
  taken_ += static_cast<std::int64_t>(bytes);
  const CuAddress address = piece.base + kGuardBytes;
  pieces_.emplace(address, piece);
  return address;
}

void DeviceMemory::setGuards(const Piece& piece) {
  const DriverApi& api = context_.api();
  context_.check(api.fill(piece.base, kGuardValue, kGuardBytes), "set a guard");
  context_.check(
      api.fill(piece.base + kGuardBytes + piece.bytes, kGuardValue, guardBehind(piece.bytes)),
      "set a guard");
}

void DeviceMemory::release(CuAddress address) noexcept {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return;
  if (context_.mayBeCleaned()) (void)context_.driver().api().free(found->second.base);
  taken_ -= static_cast<std::int64_t>(found->second.bytes);
  pieces_.erase(found);
}

void DeviceMemory::checkGuards() {
  for (const auto& [address, piece] : pieces_) {
    std::vector<std::uint8_t> before(kGuardBytes), behind(guardBehind(piece.bytes));
    const DriverApi& api = context_.api();
    context_.check(api.copyOut(before.data(), piece.base, before.size()), "read a guard");
    context_.check(api.copyOut(behind.data(), address + piece.bytes, behind.size()),
                   "read a guard");
    const std::size_t under = spoilt(before), over = spoilt(behind);
    if (under + over == 0) continue;
    setGuards(piece);
    throw DeviceError(DeviceFault::OutOfBounds, "",
                      fmt::format("the kernel wrote outside of its memory: it spoilt {} {} a "
                                  "buffer of {}",
                                  quantity(std::int64_t(under > 0 ? under : over), "byte"),
                                  under > 0 ? "before" : "behind",
                                  quantity(std::int64_t(piece.bytes), "byte")));
  }
}

} // namespace nestwright::cuda
