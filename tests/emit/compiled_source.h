#pragma once
/// \file C sources compiled by the system's compilers and loaded.

#include "core/emit/c_source.h"
#include "core/support/error.h"
#include "core/support/output_file.h"
#include "core/support/run_command.h"
#include "tests/plugins/kernel_runner.h"

#include <dlfcn.h>

#include <QTemporaryDir>

#include <string>
#include <vector>

namespace nestwright::test {

/// A file of C, with a function `call_NAME(buffers, workspace, threads)` besides.
inline std::string withCaller(const CSource& source, const std::string& name) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < source.parameters.size(); ++i)
    arguments.push_back(fmt::format("buffers[{}]", i));
  if (source.takesWorkspace) arguments.emplace_back("workspace");
  if (source.takesThreads) arguments.emplace_back("threads");
  return source.text() +
         fmt::format("\nvoid call_{0}(void **buffers, void *workspace, int threads) "
                     "{{\n  (void)workspace, (void)threads;\n  {0}({1});\n}}\n",
                     name, fmt::join(arguments, ", "));
}

/// Several files as one shared library.
class CompiledSources {
 public:
  CompiledSources(const std::vector<std::string>& compiler, const std::vector<std::string>& texts) {
    std::vector<std::string> command = compiler;
    command.insert(command.end(), {"-shared", "-fPIC", "-o", "lib.so"});
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string name = fmt::format("p{}.c", i);
      writeWhole(folder_.filePath(QString::fromStdString(name)).toStdString(), "test", texts[i]);
      command.push_back(name);
    }
    command.emplace_back("-lm");
    const CommandResult result = runCommand(command, folder_.path().toStdString());
    if (result.exitCode != 0 || !result.output.empty())
      throw Error(fmt::format("{} says: {}", compiler.front(), result.output));
    library_ = dlopen(folder_.filePath("lib.so").toUtf8().constData(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw Error(dlerror());
  }
  CompiledSources(const CompiledSources&) = delete;
  CompiledSources& operator=(const CompiledSources&) = delete;
  ~CompiledSources() {
    if (library_) dlclose(library_);
  }

  template <class Function>
  Function* function(const std::string& name) const {
    void* const found = dlsym(library_, name.c_str());
    if (!found) throw Error(fmt::format("{} is not there", name));
    return reinterpret_cast<Function*>(found);
  }

 private:
  QTemporaryDir folder_;
  void* library_ = nullptr;
};

/// Runs one of the programs. What it takes packed is packed by its own function.
class RunnableSource {
 public:
  RunnableSource(const CompiledSources& compiled, const CSource& source, std::string name,
                 const LoopFunction& function)
      : compiled_(compiled), source_(source), name_(std::move(name)), function_(function) {
    for (const Buffer& buffer : function.parameters)
      buffers_.emplace_back(buffer->bytes());
  }

  /// `given` as the DAG has it.
  void setInput(std::size_t i, const AlignedBytes& given) {
    if (i < function_.layouts.size() && function_.layouts[i])
      compiled_.function<void(const void*, void*)>(fmt::format(
          "{}_pack_{}", name_, source_.parameters[i].name))(given.data(), buffers_[i].data());
    else
      std::memcpy(buffers_[i].data(), given.data(), given.size());
  }

  void run(int threads) {
    const AlignedBytes workspace(source_.workspaceBytes + threads * source_.threadWorkspaceBytes);
    std::vector<void*> pointers;
    for (const AlignedBytes& buffer : buffers_)
      pointers.push_back(buffer.data());
    compiled_.function<void(void**, void*, int)>("call_" + name_)(pointers.data(), workspace.data(),
                                                                  threads);
  }

  const AlignedBytes& buffer(std::size_t i) const { return buffers_[i]; }

 private:
  const CompiledSources& compiled_;
  const CSource& source_;
  std::string name_;
  const LoopFunction& function_;
  std::vector<AlignedBytes> buffers_;
};

} // namespace nestwright::test
