#include "plugins/llvm/jit.h"

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/openmp.h"
#include "core/support/quantity.h"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>

#include <atomic>
#include <cstring>
#include <mutex>

namespace nestwright::llvm_backend {
namespace {

namespace orc = llvm::orc;

using EntryFunction = void (*)(void* const* buffers, void* workspace, std::int32_t threads);

template <class T>
T unwrap(llvm::Expected<T> value, const char* what) {
  if (!value) throw SystemError(fmt::format("{}: {}", what, llvm::toString(value.takeError())));
  return std::move(*value);
}

/// The one linker of this process.
class Linker {
 public:
  Linker()
      : session_(unwrap(orc::SelfExecutorProcessControl::Create(), "the JIT cannot start")),
        layer_(session_, session_.getExecutorProcessControl().getMemMgr()),
        process_(session_.createBareJITDylib("process")) {
    session_.setErrorReporter([this](llvm::Error error) {
      const std::lock_guard lock(mutex_);
      reported_ +=
          fmt::format("{}{}", reported_.empty() ? "" : "\n", llvm::toString(std::move(error)));
    });
    // libgomp by address, not by a search that would open it and close it again.
    orc::SymbolMap runtime;
    define(runtime, "GOMP_parallel", &GOMP_parallel);
    define(runtime, "omp_get_thread_num", &omp_get_thread_num);
    define(runtime, "omp_get_num_threads", &omp_get_num_threads);
    llvm::cantFail(process_.define(orc::absoluteSymbols(std::move(runtime))));
    // libm and memcpy and the like.
    process_.addGenerator(unwrap(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0'),
                                 "the JIT cannot start"));
  }

  struct Linked {
    orc::JITDylib* library = nullptr;
    EntryFunction entry = nullptr;
  };

  Linked link(llvm::StringRef object, const std::string& entry) {
    orc::JITDylib& library = session_.createBareJITDylib(fmt::format("kernel{}", ++count_));
    library.addToLinkOrder(process_);
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, entry);
    if (auto error = layer_.add(library, std::move(buffer))) fail(library, entry, std::move(error));
    auto symbol = session_.lookup({&library}, session_.intern(entry));
    if (!symbol) fail(library, entry, symbol.takeError());
    return {&library, symbol->getAddress().toPtr<EntryFunction>()};
  }

  void remove(orc::JITDylib& library) { llvm::consumeError(session_.removeJITDylib(library)); }

 private:
  template <class F>
  void define(orc::SymbolMap& symbols, const char* name, F* function) {
    symbols[session_.intern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                      llvm::JITSymbolFlags::Exported |
                                          llvm::JITSymbolFlags::Callable};
  }

  [[noreturn]] void fail(orc::JITDylib& library, const std::string& entry, llvm::Error error) {
    std::string reason = llvm::toString(std::move(error));
    remove(library);
    const std::lock_guard lock(mutex_);
    if (!reported_.empty()) reason += fmt::format("\n{}", std::exchange(reported_, ""));
    throw Error(fmt::format("kernel {} cannot be linked: {}", entry, reason));
  }

  orc::ExecutionSession session_;
  orc::ObjectLinkingLayer layer_;
  orc::JITDylib& process_;
  std::atomic<int> count_ = 0;
  std::mutex mutex_;
  std::string reported_; // the linker's own words on the last failure
};

Linker& linker() {
  // Never destroyed: kernels may outlive main's static objects.
  static auto* const instance = new Linker;
  return *instance;
}

class LinkedKernel final : public Kernel {
 public:
  LinkedKernel(Linker::Linked linked, std::size_t parameters)
      : linked_(linked), parameters_(parameters) {}
  ~LinkedKernel() override { linker().remove(*linked_.library); }
  LinkedKernel(const LinkedKernel&) = delete;
  LinkedKernel& operator=(const LinkedKernel&) = delete;

  void run(std::span<void* const> buffers, void* workspace, int threads) const override {
    NW_ASSERT(buffers.size() == parameters_, "the kernel has {} parameters, {} buffers were given",
              parameters_, buffers.size());
    linked_.entry(buffers.data(), workspace, threads);
  }

 private:
  Linker::Linked linked_;
  std::size_t parameters_;
};

std::uint64_t checksum(const std::uint8_t* bytes, std::size_t size) {
  return hash64({reinterpret_cast<const char*>(bytes), size});
}

} // namespace

void seal(std::vector<std::uint8_t>& object) {
  const std::uint64_t sum = checksum(object.data(), object.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&sum);
  object.insert(object.end(), bytes, bytes + sizeof sum);
}

std::unique_ptr<Kernel> loadKernel(const KernelArtifact& artifact) {
  std::uint64_t sum = 0;
  if (artifact.code.size() <= sizeof sum)
    throw Error(fmt::format("kernel {} cannot be linked: its code has only {}", artifact.entry,
                            quantity(std::ssize(artifact.code), "byte")));
  const std::size_t size = artifact.code.size() - sizeof sum;
  std::memcpy(&sum, artifact.code.data() + size, sizeof sum);
  // The linker trusts what it is given; a damaged file could crash it.
  if (sum != checksum(artifact.code.data(), size))
    throw Error(
        fmt::format("kernel {} cannot be linked: its code is damaged (the checksum of its {} "
                    "is wrong); compile it again",
                    artifact.entry, quantity(std::int64_t(size), "byte")));
  const llvm::StringRef object(reinterpret_cast<const char*>(artifact.code.data()), size);
  return std::make_unique<LinkedKernel>(linker().link(object, artifact.entry),
                                        artifact.parameterBytes.size());
}

} // namespace nestwright::llvm_backend
