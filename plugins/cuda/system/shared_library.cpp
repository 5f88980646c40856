#include "plugins/cuda/system/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace nestwright::cuda {
namespace {

namespace fs = std::filesystem;

std::string pathOf(void* handle, const std::string& asked) {
  link_map* map = nullptr;
  const bool known =
      dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name;
  return known ? map->l_name : asked;
}

/// Whether the loader says that there is no such file, and not that the file lacks another one: it
/// gives no other sign than its words. They are the C library's, in whatever language.
bool saysNotFound(const std::string& reason, const std::string& candidate) {
  return reason.starts_with(candidate + ":") && reason.ends_with(std::strerror(ENOENT));
}

} // namespace

std::optional<SharedLibrary> SharedLibrary::openFirst(const std::vector<std::string>& candidates,
                                                      std::string& why) {
  why.clear();
  for (const std::string& candidate : candidates) {
    std::error_code failure;
    const bool isPath = candidate.find('/') != std::string::npos;
    if (isPath && !fs::exists(candidate, failure)) continue;
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return SharedLibrary(handle, pathOf(handle, candidate));
    const char* said = dlerror();
    std::string reason = said ? said : "it cannot be opened";
    // That a name is not found is no news; that a file cannot be opened is.
    if (saysNotFound(reason, candidate)) continue;
    if (reason.find(candidate) == std::string::npos) reason.insert(0, candidate + ": ");
    if (!why.empty()) why += "; ";
    why += reason;
  }
  return std::nullopt;
}

void* SharedLibrary::symbol(const char* name) const {
  return dlsym(handle_, name);
}

std::string fileOfAddress(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

bool preload(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) != nullptr;
}

} // namespace nestwright::cuda
