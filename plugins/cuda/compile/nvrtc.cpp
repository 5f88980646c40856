#include "plugins/cuda/compile/nvrtc.h"

#include "core/support/error.h"
#include "plugins/cuda/system/shared_library.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>

namespace nestwright::cuda {
namespace {

constexpr int kOldestVersion = 12'000, kMinimalVersion = 12'040;
constexpr int kNewestMajor = 13;
constexpr const char* kUsualNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

/// Libraries of these names in all places, place by place.
void addCandidates(std::span<const char* const> names, std::vector<std::string>& candidates) {
  const auto addBelow = [&](const char* toolkit) {
    for (const char* folder : {"lib64", "lib"})
      for (const char* name : names)
        candidates.push_back(fmt::format("{}/{}/{}", toolkit, folder, name));
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* toolkit = std::getenv(variable)) addBelow(toolkit);
  candidates.insert(candidates.end(), names.begin(), names.end());
  addBelow("/usr/local/cuda");
}

/// The driver's major version where it does not load what the newest NVRTC makes, and one of its
/// own is no older than we need; else 0.
int olderMajor(int driverVersion) {
  const int major = driverVersion / 1000;
  return major >= kOldestVersion / 1000 && major < kNewestMajor ? major : 0;
}

std::string namesOf(const std::vector<GpuArchitecture>& architectures) {
  std::vector<std::string> names;
  for (const GpuArchitecture& architecture : architectures)
    names.push_back(architecture.name());
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

struct Nvrtc::Api {
  using Program = struct NvrtcProgram*;
  using Result = int; // 0 is success

  const char* (*errorText)(Result) = nullptr;
  Result (*version)(int* major, int* minor) = nullptr;
  Result (*architectureCount)(int* count) = nullptr;
  Result (*architectures)(int* all) = nullptr;
  Result (*create)(Program*, const char* source, const char* name, int headers,
                   const char* const* headerTexts, const char* const* headerNames) = nullptr;
  Result (*destroy)(Program*) = nullptr;
  Result (*compile)(Program, int count, const char* const* options) = nullptr;
  Result (*cubinSize)(Program, std::size_t*) = nullptr;
  Result (*cubin)(Program, char*) = nullptr;
  Result (*ptxSize)(Program, std::size_t*) = nullptr;
  Result (*ptx)(Program, char*) = nullptr;
  Result (*logSize)(Program, std::size_t*) = nullptr;
  Result (*log)(Program, char*) = nullptr;

  bool resolve(const SharedLibrary& library) {
    return library.get(errorText, "nvrtcGetErrorString") && library.get(version, "nvrtcVersion") &&
           library.get(architectureCount, "nvrtcGetNumSupportedArchs") &&
           library.get(architectures, "nvrtcGetSupportedArchs") &&
           library.get(create, "nvrtcCreateProgram") &&
           library.get(destroy, "nvrtcDestroyProgram") &&
           library.get(compile, "nvrtcCompileProgram") &&
           library.get(cubinSize, "nvrtcGetCUBINSize") && library.get(cubin, "nvrtcGetCUBIN") &&
           library.get(ptxSize, "nvrtcGetPTXSize") && library.get(ptx, "nvrtcGetPTX") &&
           library.get(logSize, "nvrtcGetProgramLogSize") && library.get(log, "nvrtcGetProgramLog");
  }

  void check(Result result, const char* what) const {
    if (result != 0) throw SystemError(fmt::format("NVRTC cannot {}: {}", what, errorText(result)));
  }
};

std::string versionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::vector<std::string> nvrtcCandidates(int driverVersion) {
  if (const char* only = std::getenv("NESTWRIGHT_NVRTC")) return {only};
  std::vector<std::string> candidates;
  if (const int major = olderMajor(driverVersion); major > 0) {
    const std::string own = fmt::format("libnvrtc.so.{}", major);
    const char* const name = own.c_str();
    addCandidates({&name, 1}, candidates);
  }
  addCandidates(kUsualNames, candidates);
  return candidates;
}

const Nvrtc& Nvrtc::instance(int driverVersion) {
  static std::mutex mutex;
  // Never destroyed: compilations on other threads may outlive main.
  static auto* const byMajor = new std::map<int, Nvrtc>;
  const std::lock_guard lock(mutex);
  const int major = olderMajor(driverVersion);
  return byMajor->try_emplace(major, nvrtcCandidates(driverVersion)).first->second;
}

Nvrtc::Nvrtc(const std::vector<std::string>& candidates) {
  std::optional<NvrtcStatus> unfit; // the first that was there
  std::string unopened;
  for (const std::string& candidate : candidates) {
    std::string why;
    if (const auto library = SharedLibrary::openFirst({candidate}, why)) {
      if (take(*library)) return;
      if (!unfit) unfit = status_;
    } else if (!why.empty()) {
      unopened += (unopened.empty() ? "" : "; ") + why;
    }
  }
  status_ = unfit.value_or(NvrtcStatus());
  if (unfit) return;
  status_.reason = !unopened.empty()        ? unopened
                   : candidates.size() == 1 ? fmt::format("{} was not found", candidates.front())
                                            : "libnvrtc was not found";
}

bool Nvrtc::take(const SharedLibrary& library) {
  status_ = {};
  status_.path = library.path();
  auto api = std::make_unique<Api>();
  int major = 0, minor = 0, count = 0;
  if (!api->resolve(library) || api->version(&major, &minor) != 0 ||
      api->architectureCount(&count) != 0) {
    status_.reason = fmt::format("{} is no NVRTC that can be used", status_.path);
    return false;
  }
  status_.version = major * 1000 + minor * 10;
  if (status_.version < kOldestVersion) {
    status_.reason = fmt::format("{} is of version {}; {} or later is needed", status_.path,
                                 versionText(status_.version), versionText(kOldestVersion));
    return false;
  }
  std::vector<int> numbers(static_cast<std::size_t>(count));
  api->check(api->architectures(numbers.data()), "say what it compiles for");
  for (const int number : numbers)
    status_.architectures.push_back({number / 10, number % 10});
  // Where its folder is not the loader's, NVRTC itself does not find its other half: whoever opens
  // that first does it a favour. It is no failure when the loader would have found it.
  const std::filesystem::path folder =
      std::filesystem::path(fileOfAddress(reinterpret_cast<const void*>(api->version)))
          .parent_path();
  (void)preload((folder / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor)).string());
  status_.found = true;
  api_ = std::move(api);
  return true;
}

Nvrtc::~Nvrtc() = default;

std::vector<std::string> nvrtcArguments(const NvrtcOptions& options, int version) {
  std::vector<std::string> arguments{
      fmt::format("--gpu-architecture={}", options.architecture.name()), "--std=c++17",
      "--ptxas-options=-v"};
  if (version >= kMinimalVersion) arguments.emplace_back("--minimal"); // others refuse it
  if (options.lines) arguments.emplace_back("--generate-line-info");
  return arguments;
}

Compiled Nvrtc::compile(const std::string& source, const NvrtcOptions& options) const {
  if (!status_.found)
    throw SystemError(fmt::format("CUDA programs cannot be compiled here: {}. NVRTC comes with the "
                                  "CUDA Toolkit (12 or later); NESTWRIGHT_NVRTC or CUDA_HOME can "
                                  "say where it is",
                                  status_.reason));
  const auto& known = status_.architectures;
  if (std::ranges::find(known, options.architecture) == known.end())
    throw InputError(fmt::format("NVRTC {} does not compile for {}; it knows {}. Another CUDA "
                                 "Toolkit may (NESTWRIGHT_NVRTC says which one is taken)",
                                 versionText(status_.version), options.architecture.name(),
                                 namesOf(known)));
  using Program = Api::Program;
  Program program = nullptr;
  api_->check(api_->create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr),
              "take the text");
  const auto destroy = [this](Program* given) { api_->destroy(given); };
  const std::unique_ptr<Program, decltype(destroy)> owner(&program, destroy);

  const std::vector<std::string> arguments = nvrtcArguments(options, status_.version);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(argument.c_str());
  const int result = api_->compile(program, static_cast<int>(pointers.size()), pointers.data());

  const auto bytesOf = [&](auto size, auto get, const char* what) {
    std::size_t bytes = 0;
    api_->check(size(program, &bytes), what);
    std::string text(bytes, '\0');
    if (bytes > 0) api_->check(get(program, text.data()), what);
    return text;
  };
  const auto textOf = [&](auto size, auto get, const char* what) {
    std::string text = bytesOf(size, get, what);
    if (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  };
  Compiled compiled;
  compiled.log = textOf(api_->logSize, api_->log, "give its log");
  if (result != 0)
    throw Error(fmt::format("NVRTC {} cannot compile the kernel for {}: {}\n{}",
                            versionText(status_.version), options.architecture.name(),
                            api_->errorText(result), compiled.log));
  compiled.ptx = textOf(api_->ptxSize, api_->ptx, "give PTX");
  const std::string cubin = bytesOf(api_->cubinSize, api_->cubin, "give a cubin");
  compiled.cubin.assign(cubin.begin(), cubin.end());
  return compiled;
}

} // namespace nestwright::cuda
