#include "plugins/cuda/compile/disassembler.h"

#include "core/support/error.h"
#include "plugins/cuda/system/child_process.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace nestwright::cuda {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 30;

/// A file of our own that goes with the scope: nvdisasm reads no pipe.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::uint8_t> bytes)
      : path_((fs::temp_directory_path() / "nestwright-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) fail();
    while (!bytes.empty()) {
      const ssize_t written = write(file, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        close(file);
        unlink(path_.c_str());
        fail();
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    close(file);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail() const {
    throw SystemError(fmt::format("{} cannot be written: {}", path_, std::strerror(errno)));
  }
  std::string path_;
};

bool isProgram(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure) && access(path.c_str(), X_OK) == 0;
}

} // namespace

std::string findDisassembler(const std::string& nvrtcPath, std::string& why) {
  std::vector<fs::path> candidates;
  if (const char* only = std::getenv("NESTWRIGHT_NVDISASM")) {
    candidates.emplace_back(only);
  } else {
    std::error_code failure;
    const fs::path library = fs::canonical(nvrtcPath, failure);
    // .../lib64/libnvrtc.so or .../targets/x86_64-linux/lib/libnvrtc.so
    for (fs::path folder = library.parent_path().parent_path(); folder != folder.root_path();
         folder = folder.parent_path())
      if (fs::exists(folder / "bin", failure)) candidates.push_back(folder / "bin" / "nvdisasm");
  }
  why.clear();
  for (const fs::path& candidate : candidates) {
    if (isProgram(candidate)) return candidate.string();
    if (why.empty())
      why = fmt::format("there is no program {}; NVIDIA's package cuda-nvdisasm has it",
                        candidate.string());
  }
  if (why.empty()) why = "there is no toolkit around NVRTC that could have the program nvdisasm";
  return "";
}

std::string disassemble(const std::string& program, std::span<const std::uint8_t> cubin) {
  const TemporaryFile file(cubin);
  const ChildOutput output = runProgram({program, "-gi", "-c", file.path()}, kMostSeconds);
  if (output.exitCode != 0)
    throw SystemError(output.exitCode < 0
                          ? output.problem
                          : fmt::format("{} ended with exit code {}", program, output.exitCode));
  return output.out;
}

} // namespace nestwright::cuda
