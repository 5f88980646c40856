#include "core/backend/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

namespace nestwright {

namespace {

constexpr std::size_t kAlignment = 64;

std::size_t roundUp(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Maps `bytes` that nobody may read, so that the byte at `offset` lies at a multiple of
/// `alignment`: whole pages, all of them. Null when there is no memory.
void* mapAligned(std::size_t bytes, std::size_t offset, std::size_t alignment) {
  const std::size_t mapped = bytes + alignment;
  void* const memory = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(memory);
  const std::size_t address = reinterpret_cast<std::uintptr_t>(begin) + offset;
  const std::size_t before = roundUp(address, alignment) - address;
  if (before > 0) munmap(begin, before);
  if (before < alignment) munmap(begin + before + bytes, alignment - before);
  return begin + before;
}

} // namespace

GuardedBuffer::GuardedBuffer(std::size_t bytes) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t used = roundUp(bytes, page);
  const bool isHuge = used >= kHugePageBytes;
  mappingBytes_ = used + 2 * page; // one guard before, one behind
  mapping_ = mapAligned(mappingBytes_, page, isHuge ? kHugePageBytes : page);
  if (!mapping_) throw std::bad_alloc();
  char* const first = static_cast<char*>(mapping_) + page;
  if (used > 0 && mprotect(first, used, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping_, mappingBytes_);
    throw std::bad_alloc();
  }
  // Huge pages from the first byte on; what is left at the end has small ones, so that the guard
  // stays right behind it. A system without huge pages refuses, and nothing is the worse for it.
  if (isHuge) madvise(first, used, MADV_HUGEPAGE);
  data_ = first + used - roundUp(bytes, kAlignment);
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_) munmap(mapping_, mappingBytes_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept {
  *this = std::move(other);
}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mappingBytes_, other.mappingBytes_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void GuardedBuffer::makeReadOnly() {
  // The guards stay as they are: only the pages in between are concerned.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (mappingBytes_ > 2 * page)
    mprotect(static_cast<char*>(mapping_) + page, mappingBytes_ - 2 * page, PROT_READ);
}

void GuardedBuffer::poison() {
  if (bytes_ > 0) std::memset(data_, 0xff, bytes_);
}

} // namespace nestwright
