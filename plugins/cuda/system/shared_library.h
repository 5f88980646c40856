#pragma once
/// \file A library that is looked for when it is wanted, so that the product builds and starts
/// where it is not installed.

#include <optional>
#include <string>
#include <vector>

namespace nestwright::cuda {

/// An open library. It is never closed: its threads and its state outlive whoever opened it.
class SharedLibrary {
 public:
  /// Opens the first of these paths and names that can be; nothing when none can. `why` tells what
  /// the loader said of each that is there and cannot be opened; empty when none is there.
  static std::optional<SharedLibrary> openFirst(const std::vector<std::string>& candidates,
                                                std::string& why);

  /// The address of a symbol; null when it has none of this name.
  void* symbol(const char* name) const;
  /// Sets `function` to the symbol; false when there is none.
  template <class F>
  bool get(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(symbol(name));
    return function != nullptr;
  }
  const std::string& path() const { return path_; } // as the loader found it

 private:
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_ = nullptr;
  std::string path_;
};

/// The file that an address was loaded from; empty when the loader does not know.
std::string fileOfAddress(const void* address);
/// Opens a library so that others find it by its name; false when it cannot be.
bool preload(const std::string& path);

} // namespace nestwright::cuda
