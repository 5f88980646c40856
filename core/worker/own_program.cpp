#include "core/worker/own_program.h"

#include <filesystem>
#include <system_error>

namespace nestwright {

std::optional<std::string> ownProgram(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path inBin = folder.parent_path() / "bin";
  for (const fs::path& place : {folder, inBin})
    if (fs::exists(place / name, error)) return (place / name).string();
  return std::nullopt;
}

} // namespace nestwright
