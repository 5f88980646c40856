#pragma once
/// \file Finding and loading plugins. A plugin is a shared object that exports one C function,
/// `nestwright_plugin`, returning its `PluginDescription`. Plugins are never unloaded.

#include <memory>
#include <string>
#include <vector>

#include "core/backend/backend.h"

namespace nestwright {

/// Raised by one whenever a type that plugins see changes its layout or meaning.
inline constexpr int kPluginAbi = 1;

struct PluginDescription {
  int abi = kPluginAbi;
  const char* name = "";
  const char* version = "";
  const char* purpose = "";                       // one sentence for `doctor`
  std::unique_ptr<Backend> (*makeBackend)() = nullptr; // null when it brings no backend
};

/// What was found where, for `doctor` and the About dialog.
struct PluginStatus {
  std::string name;
  std::string path;
  bool loaded = false;
  std::string reason; // why not, in one sentence
  std::string version, purpose;
};

/// Searched in order: $NESTWRIGHT_PLUGIN_PATH, <binary folder>/../lib/nestwright/plugins,
/// <binary folder>/../plugins.
std::vector<std::string> pluginFolders();
std::vector<PluginStatus> pluginStatus();

/// The backend of this name; made once per process. Throws SystemError that says which plugin is
/// missing, where it was looked for and how to get it.
const Backend& backend(const std::string& name = "llvm");

} // namespace nestwright
