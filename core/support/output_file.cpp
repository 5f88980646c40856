#include "core/support/output_file.h"

#include "core/support/error.h"
#include "core/support/printable.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace nestwright {

namespace fs = std::filesystem;

bool isStandardOutput(const std::string& path) {
  if (path == "-") return true;
  struct stat there {};
  struct stat ours {};
  return stat(path.c_str(), &there) == 0 && fstat(STDOUT_FILENO, &ours) == 0 &&
         there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

namespace {

/// Where the path leads through symbolic links, also when the last of them leads to nothing yet.
std::string behindLinks(const std::string& path) {
  constexpr int kMostLinks = 40; // as many as Linux follows
  fs::path place = path;
  std::error_code none;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(place, none)); ++i) {
    const fs::path next = fs::read_symlink(place, none);
    if (none) break;
    place = next.is_absolute() ? next : place.parent_path() / next;
  }
  return place.string();
}

} // namespace

OutputFile::OutputFile(const std::string& path, std::string_view kind) : path_(path) {
  std::error_code none;
  const fs::file_status there = fs::status(path, none);
  if (isStandardOutput(path)) {
    file_ = stdout;
    terminal_ = isatty(STDOUT_FILENO) == 1;
  } else if (fs::exists(there) && !fs::is_regular_file(there)) {
    file_ = std::fopen(path.c_str(), "we");
    terminal_ = file_ != nullptr && isatty(fileno(file_)) == 1;
  } else {
    part_.emplace(behindLinks(path), kind);
    file_ = std::fopen(part_->path().c_str(), "r+be");
  }
  if (file_ == nullptr) fail();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void OutputFile::write(std::string_view text) {
  std::string shown;
  if (terminal_) text = shown = printable(text);
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void OutputFile::finish() {
  if (std::fflush(file_) != 0) fail();
  if (file_ == stdout) return;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  if (part_) part_->takePlace(true);
}

void OutputFile::fail() const {
  throw SystemError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

void writeWhole(const std::string& path, std::string_view kind, std::string_view bytes,
                bool replace) {
  if (!replace) {
    DraftFile draft(path, kind);
    draft.write(bytes);
    return draft.takePlace(false);
  }
  OutputFile file(path, kind);
  file.write(bytes);
  file.finish();
}

} // namespace nestwright
