#include "tests/fuzz/compressed.h"

#include <lzma.h>
#include <zlib.h>

namespace nestwright::fuzz {

namespace {

std::string gzip(const std::string& text) {
  constexpr int kGzipWindow = 15 + 16, kMemory = 8;
  z_stream stream{};
  NW_ASSERT(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemory,
                         Z_DEFAULT_STRATEGY) == Z_OK,
            "zlib does not start");
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string xz(const std::string& text) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  const lzma_ret done = lzma_easy_buffer_encode(
      0, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
      reinterpret_cast<std::uint8_t*>(bytes.data()), &size, bytes.size());
  NW_ASSERT(done == LZMA_OK, "liblzma packs nothing");
  bytes.resize(size);
  return bytes;
}

} // namespace

Packing anyPacking(Random& random) {
  switch (random.below(10)) {
  case 0:
    return Packing::Gzip;
  case 1:
    return Packing::Xz;
  default:
    return Packing::None;
  }
}

const char* ending(Packing packing) {
  return packing == Packing::Gzip ? ".gz" : packing == Packing::Xz ? ".xz" : "";
}

std::string packed(std::string text, Packing packing) {
  return packing == Packing::Gzip ? gzip(text) : packing == Packing::Xz ? xz(text) : text;
}

} // namespace nestwright::fuzz
