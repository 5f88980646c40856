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

} // namespace

GuardedBuffer::GuardedBuffer(std::size_t bytes) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t used = roundUp(bytes, page);
  mappingBytes_ = used + 2 * page; // one guard before, one behind
  mapping_ = mmap(nullptr, mappingBytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw std::bad_alloc();
  }
  char* const first = static_cast<char*>(mapping_) + page;
  if (used > 0 && mprotect(first, used, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping_, mappingBytes_);
    throw std::bad_alloc();
  }
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
