#include "core/logs/byte_source.h"

#include "core/support/error.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace nestwright {

namespace {

constexpr std::size_t kBuffer = 256 << 10;

class PlainFile : public ByteSource {
 public:
  explicit PlainFile(const std::string& path)
      : path_(path), file_(std::fopen(path.c_str(), "rbe"), &std::fclose) {
    if (file_ == nullptr)
      throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::fread(out, 1, size, file_.get());
    if (count < size && std::ferror(file_.get()) != 0)
      throw InputError(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
    position_ += std::int64_t(count);
    return count;
  }
  std::int64_t position() const override { return position_; }
  void rewind() {
    std::rewind(file_.get());
    position_ = 0;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::int64_t position_ = 0;
};

/// A file that some library unpacks: `Codec` takes bytes until it has made some.
template <class Codec>
class PackedFile : public ByteSource {
 public:
  explicit PackedFile(std::unique_ptr<PlainFile> file) : file_(std::move(file)), input_(kBuffer) {}

  std::size_t read(char* out, std::size_t size) override {
    if (size == 0) return 0;
    for (;;) {
      if (rest_.empty() && !ended_) {
        const std::size_t count = file_->read(input_.data(), input_.size());
        rest_ = std::string_view(input_.data(), count);
        ended_ = count == 0;
      }
      const std::size_t made = codec_.unpack(rest_, ended_, out, size);
      if (codec_.broken())
        throw InputError(fmt::format("{}: its {} compression is damaged; what came before is "
                                     "imported",
                                     file_->path(), Codec::kName));
      if (made > 0) return made;
      if (!ended_) continue;
      if (!codec_.complete())
        throw InputError(fmt::format("{}: the {} file is cut off; what came before is imported",
                                     file_->path(), Codec::kName));
      return 0;
    }
  }
  std::int64_t position() const override { return file_->position() - std::int64_t(rest_.size()); }

 private:
  std::unique_ptr<PlainFile> file_;
  std::vector<char> input_;
  std::string_view rest_;
  bool ended_ = false;
  Codec codec_;
};

/// gzip, of which files may be put one behind another.
class Gzip {
 public:
  static constexpr const char* kName = "gzip";
  Gzip() {
    constexpr int kGzipWindow = 15 + 16;
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw SystemError("out of memory");
  }
  ~Gzip() { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::size_t unpack(std::string_view& input, bool, char* out, std::size_t size) {
    if (input.empty()) return 0;
    if (complete_ && inflateReset(&stream_) != Z_OK) return fail();
    complete_ = false;
    // zlib only reads what it is given, but its interface is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = uInt(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = uInt(std::min(size, std::size_t(1) << 30));
    const uInt space = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    input.remove_prefix(input.size() - stream_.avail_in);
    complete_ = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return fail();
    return space - stream_.avail_out;
  }
  bool complete() const { return complete_; }
  bool broken() const { return broken_; }

 private:
  std::size_t fail() {
    broken_ = true;
    return 0;
  }
  z_stream stream_{};
  bool complete_ = true, broken_ = false;
};

class Zstd {
 public:
  static constexpr const char* kName = "zstd";
  std::size_t unpack(std::string_view& input, bool, char* out, std::size_t size) {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer made{out, size, 0};
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &made, &in);
    broken_ = ZSTD_isError(code) != 0;
    if (!broken_ && (in.pos > 0 || made.pos > 0)) complete_ = code == 0;
    input.remove_prefix(in.pos);
    return made.pos;
  }
  bool complete() const { return complete_; }
  bool broken() const { return broken_; }

 private:
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_{ZSTD_createDStream(),
                                                                        &ZSTD_freeDStream};
  bool complete_ = true, broken_ = false;
};

class Xz {
 public:
  static constexpr const char* kName = "xz";
  Xz() {
    constexpr std::uint64_t kMostMemory = 512 << 20;
    if (lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw SystemError("out of memory");
  }
  ~Xz() { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  std::size_t unpack(std::string_view& input, bool ended, char* out, std::size_t size) {
    if (complete_) return 0;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = size;
    const lzma_ret code = lzma_code(&stream_, ended ? LZMA_FINISH : LZMA_RUN);
    input.remove_prefix(input.size() - stream_.avail_in);
    complete_ = code == LZMA_STREAM_END;
    broken_ = code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR;
    return size - stream_.avail_out;
  }
  bool complete() const { return complete_; }
  bool broken() const { return broken_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool complete_ = false, broken_ = false;
};

} // namespace

std::unique_ptr<ByteSource> openBytes(const std::string& path) {
  auto file = std::make_unique<PlainFile>(path);
  std::array<char, 6> bytes{};
  const std::string_view head(bytes.data(), file->read(bytes.data(), bytes.size()));
  file->rewind();
  if (head.starts_with("\x1f\x8b")) return std::make_unique<PackedFile<Gzip>>(std::move(file));
  if (head.starts_with("\x28\xb5\x2f\xfd"))
    return std::make_unique<PackedFile<Zstd>>(std::move(file));
  if (head.starts_with(std::string_view("\xfd\x37zXZ\0", 6)))
    return std::make_unique<PackedFile<Xz>>(std::move(file));
  return file;
}

} // namespace nestwright
