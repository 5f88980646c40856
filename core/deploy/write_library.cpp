#include "core/deploy/write_library.h"

#include "core/deploy/library_text.h"
#include "core/deploy/manifest.h"
#include "core/deploy/onnxruntime_op.h"
#include "core/deploy/tvm_ffi_glue.h"
#include "core/deploy/weights.h"
#include "core/support/command_words.h"
#include "core/support/error.h"
#include "core/support/output_file.h"
#include "core/support/run_command.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace nestwright {

namespace {

namespace fs = std::filesystem;
std::string firstFound(const char* variable, const std::vector<std::string>& names) {
  const char* const chosen = std::getenv(variable);
  if (chosen && *chosen) return findProgram(chosen);
  for (const std::string& name : names)
    if (std::string found = findProgram(name); !found.empty()) return found;
  return {};
}

/// Compiles, links and packs in a folder inside of the draft, which goes before the draft is done.
class Workshop {
 public:
  Workshop(const Library& library, const CTools& tools, const std::string& folder)
      : library_(library), tools_(tools), folder_(folder), bench_(fs::path(folder) / ".build") {
    fs::create_directory(bench_);
  }

  /// The code around the kernels takes what is a GPU's from the files beside it.
  void makeObjects(const WeightsSums& sums) {
    std::vector<std::string> kernels;
    for (const LibraryVariant& variant : library_.variants)
      for (const LibraryKernel& kernel : variant.kernels) {
        const std::string file = library_.isGpu() ? kernel.symbol : kernel.symbol + ".o";
        write(file, {reinterpret_cast<const char*>(kernel.object.data()), kernel.object.size()});
        if (!library_.isGpu()) kernels.push_back(file);
      }
    const std::string& name = library_.name();
    compile(name + "_glue", glueText(library_, sums));
    objects_ = {name + "_glue.o"};
    if (!library_.isGpu()) {
      compile(name + "_tvm_ffi", tvmFfiText(library_));
      objects_.push_back(name + "_tvm_ffi.o");
    }
    objects_.insert(objects_.end(), kernels.begin(), kernels.end());
  }

  void link() { link(fmt::format("lib{}.so", library_.name()), exportsText(library_), objects_); }

  /// With the library's code inside: one that it needed would be looked for by its name, and found
  /// wherever a process has another one of this name.
  void linkOnnxRuntime() {
    const std::string name = library_.name() + "_onnxruntime";
    compile(name, onnxRuntimeText(library_));
    std::vector<std::string> objects = objects_;
    objects.push_back(name + ".o");
    link(onnxRuntimeFile(library_), onnxRuntimeExports(), objects);
  }

  void archive() {
    std::vector<std::string> command = {tools_.archiver, "rcsD",
                                        fmt::format("../lib{}.a", library_.name())};
    command.insert(command.end(), objects_.begin(), objects_.end());
    run(command, "make the static library");
  }

  void clear() { fs::remove_all(bench_); }
  fs::path path(const std::string& name) const { return bench_ / name; }

 private:
  void compile(const std::string& name, const std::string& text) const {
    write(name + ".c", text);
    std::vector<std::string> command = {
        tools_.compiler, "-std=gnu11",          "-O2", "-Wall", "-Wextra",   "-fPIC",
        "-I..",          "-fvisibility=hidden", "-c",  "-o",    name + ".o", name + ".c"};
    command.insert(command.end(), tools_.flags.begin(), tools_.flags.end());
    run(command, "compile the code around the kernels");
  }

  void link(const std::string& file, const std::string& exports,
            const std::vector<std::string>& objects) const {
    write("exports", exports);
    std::vector<std::string> command = {tools_.compiler,
                                        "-shared",
                                        "-o",
                                        "../" + file,
                                        "-Wl,-soname," + file,
                                        "-Wl,--version-script=exports",
                                        "-Wl,--as-needed",
                                        "-Wl,-z,defs",
                                        "-Wl,-z,noexecstack"};
    command.insert(command.end(), tools_.flags.begin(), tools_.flags.end());
    command.insert(command.end(), objects.begin(), objects.end());
    // An application may unload the library, and libgomp with it, but never libgomp's threads.
    if (library_.threading() == Threading::OpenMp)
      command.insert(command.end(), {"-lgomp", "-Wl,-z,nodelete"});
    command.emplace_back("-lm");
    run(command, "link the shared library");
  }

  void write(const std::string& name, std::string_view bytes) const {
    writeWhole(bench_ / name, "deploy", bytes);
  }

  void run(const std::vector<std::string>& command, const char* purpose) const {
    const CommandResult result = runCommand(command, bench_);
    if (result.exitCode != 0)
      throw SystemError(fmt::format("{} could not {} (exit code {}): {}", command.front(), purpose,
                                    result.exitCode, result.output));
  }

  const Library& library_;
  const CTools& tools_;
  fs::path folder_, bench_;
  std::vector<std::string> objects_;
};

} // namespace

CTools findCTools() {
  CTools tools{firstFound("CC", {"cc", "gcc", "clang"}), firstFound("AR", {"ar", "llvm-ar"}), {}};
  if (const char* const flags = std::getenv("CFLAGS")) tools.flags = commandWords(flags, "CFLAGS");
  if (tools.compiler.empty()) return tools;
  const CommandResult said = runCommand({tools.compiler, "--version"}, "/");
  tools.version = said.output.substr(0, said.output.find('\n'));
  return tools;
}

std::string missingTools(const CTools& tools) {
  std::vector<std::string> missing;
  if (tools.compiler.empty()) missing.emplace_back("a C compiler (cc)");
  if (tools.archiver.empty()) missing.emplace_back("ar");
  if (missing.empty()) return {};
  return fmt::format(
      "{} is not found in PATH: deploy compiles and links with the system's. Debian: "
      "apt-get install gcc libc6-dev",
      fmt::join(missing, " and "));
}

CTools requiredCTools() {
  CTools tools = findCTools();
  if (const std::string missing = missingTools(tools); !missing.empty()) throw SystemError(missing);
  return tools;
}

WrittenLibrary writeLibrary(const Library& library, const CTools& tools, const std::string& folder,
                            const DeployWatch& watch) {
  if (const std::string missing = missingTools(tools); !missing.empty()) throw SystemError(missing);
  const fs::path place(folder);
  const std::string& name = library.name();
  const auto write = [&](const std::string& file, const std::string& text) {
    writeWhole(place / file, "deploy", text);
  };
  write(name + ".h", headerText(library));
  WrittenLibrary written;
  WeightsSums sums;
  try {
    Workshop workshop(library, tools, folder);
    const fs::path weights = library.deployment.options.embed ? workshop.path(name + ".weights")
                                                              : place / (name + ".weights");
    tell(watch, {DeployStage::Constants});
    if (library.hasWeights()) sums = writeWeights(library, weights);
    tell(watch, {DeployStage::Link});
    workshop.makeObjects(sums);
    tell(watch, {DeployStage::Link});
    workshop.link();
    tell(watch, {DeployStage::Link});
    workshop.archive();
    if (library.deployment.options.onnxRuntime) {
      workshop.linkOnnxRuntime();
      write("model.onnx", onnxRuntimeModel(library));
      written.onnxOperator = onnxRuntimeOperator(library);
    }
    workshop.clear();
  } catch (const fs::filesystem_error& error) {
    throw SystemError(fmt::format("{}: {}", folder, error.code().message()));
  }
  write("main.c", exampleText(library));
  write(name + ".py", pythonText(library));
  write(name + "-config.cmake", cmakeText(library));
  write(name + ".pc", pkgConfigText(library));
  written.manifest = writeManifest(manifestOf(library, tools.version, sums), folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
    written.files.push_back(entry.path().filename());
    written.bytes += static_cast<std::int64_t>(entry.file_size());
  }
  std::ranges::sort(written.files);
  return written;
}

PlaceTaken placeTaken(const std::string& folder) {
  std::error_code none;
  if (fs::symlink_status(folder, none).type() == fs::file_type::not_found) return PlaceTaken::Free;
  return hasManifest(folder) ? PlaceTaken::Library : PlaceTaken::Other;
}

void requirePlace(const std::string& folder, bool force) {
  const PlaceTaken taken = placeTaken(folder);
  if (taken == PlaceTaken::Free) return;
  if (!force)
    throw InputError(
        fmt::format("{} is there already; --force replaces a folder that deploy wrote", folder));
  if (taken == PlaceTaken::Other)
    throw InputError(fmt::format("{} was not written by deploy: it has no manifest of a library, "
                                 "and is not replaced; choose another folder, or remove it",
                                 folder));
}

} // namespace nestwright
