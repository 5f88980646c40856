#include "tests/plugins/cuda/host_gpu_run.h"

#include "core/backend/guarded_buffer.h"
#include "core/support/error.h"
#include "core/tensor/half.h"
#include "core/tensor/stored_type.h"
#include "plugins/cuda/system/child_process.h"
#include "plugins/cuda/text/preamble.h"
#include "tests/plugins/cuda/host_threads.h"

#include <dlfcn.h>
#include <fmt/ranges.h>

#include <QTemporaryDir>

#include <cstring>
#include <fstream>

namespace nestwright::test {
namespace {

constexpr const char* kHere = NESTWRIGHT_TEST_DATA "/../plugins/cuda/";

std::string hostSource(const cuda::CudaText& text) {
  NW_ASSERT(text.source.starts_with(cuda::preamble()), "the preamble comes first");
  std::string source =
      fmt::format("#include \"{}host_gpu.h\"\n{}#include \"{}host_gpu_functions.h\"\n", kHere,
                  cuda::portablePreamble(), kHere);
  source += text.source.substr(cuda::preamble().size());
  for (const KernelLaunch& launch : text.launches) {
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
      arguments.push_back(fmt::format("nw_argument{{given[{}]}}", i));
    source += fmt::format("extern \"C\" void call_{0}(void** given) {{ {0}({1}); }}\n",
                          launch.entry, fmt::join(arguments, ", "));
  }
  return source;
}

template <class T>
std::vector<std::uint8_t> packed(const std::vector<double>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

template <class T>
std::vector<double> unpacked(const std::vector<std::uint8_t>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

} // namespace

std::vector<std::uint8_t> bytesOf(const std::vector<double>& values, DataType type) {
  if (type.isHalf()) {
    std::vector<double> bits;
    for (const double value : values)
      bits.push_back(halfBits(value, type));
    return packed<std::uint16_t>(bits);
  }
  return withStoredType(type, [&](auto zero) { return packed<decltype(zero)>(values); });
}

std::vector<double> valuesOf(const std::vector<std::uint8_t>& bytes, DataType type) {
  if (type.isHalf()) {
    std::vector<double> values = unpacked<std::uint16_t>(bytes);
    for (double& value : values) {
      const auto bits = static_cast<std::uint16_t>(value);
      value = type.code == DataType::Code::BFloat ? fromBFloat16(bits) : fromFloat16(bits);
    }
    return values;
  }
  return withStoredType(type, [&](auto zero) { return unpacked<decltype(zero)>(bytes); });
}

struct HostGpu::Library {
  QTemporaryDir folder;
  void* handle = nullptr;

  using Call = void (*)(void**);

  explicit Library(const std::string& source) {
    const std::string text = folder.filePath("kernels.cpp").toStdString();
    const std::string library = folder.filePath("kernels.so").toStdString();
    std::ofstream(text) << source;
    const cuda::ChildOutput output = cuda::runProgram(
        {"/bin/sh", "-c",
         fmt::format("{} -std=c++20 -O1 -w -shared -fPIC -fno-gnu-unique -fsanitize=alignment "
                     "-fsanitize-undefined-trap-on-error -o {} {} 2>&1",
                     NESTWRIGHT_COMPILER, library, text)},
        120);
    if (output.exitCode != 0) throw Error(output.out + output.problem);
    handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw Error(dlerror());
  }
  ~Library() {
    if (handle) dlclose(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  template <class F>
  F get(const std::string& name) const {
    return reinterpret_cast<F>(dlsym(handle, name.c_str()));
  }
};

HostGpu::HostGpu(const LoopFunction& function, cuda::CudaText text)
    : function_(function), text_(std::move(text)),
      library_(std::make_unique<Library>(hostSource(text_))) {}

HostGpu::~HostGpu() = default;

Values HostGpu::run(const Values& inputs, int order) const {
  std::vector<GuardedBuffer> buffers;
  for (const Buffer& parameter : function_.parameters) {
    GuardedBuffer& memory = buffers.emplace_back(static_cast<std::size_t>(parameter->bytes()));
    memory.poison();
    const auto given = inputs.find(parameter->name);
    if (given == inputs.end()) continue;
    const std::vector<std::uint8_t> bytes = bytesOf(given->second, parameter->type);
    std::memcpy(memory.data(), bytes.data(), bytes.size());
    memory.makeReadOnly();
  }
  GuardedBuffer workspace(static_cast<std::size_t>(text_.workspaceBytes));
  workspace.poison();
  auto* const link = library_->get<HostThreads::Link*>("nw_given");
  const auto poison = library_->get<void (*)()>("nw_poison");
  for (const KernelLaunch& launch : text_.launches) {
    std::vector<void*> arguments;
    for (const LaunchArgument& argument : launch.arguments)
      arguments.push_back(argument.parameter < 0
                              ? static_cast<char*>(workspace.data()) + argument.workspaceOffset
                              : buffers[static_cast<std::size_t>(argument.parameter)].data());
    const auto call = library_->get<Library::Call>("call_" + launch.entry);
    HostThreads::run(
        launch.grid, launch.block, [&] { call(arguments.data()); }, *link, poison, order);
  }
  Values outputs;
  for (std::size_t i = static_cast<std::size_t>(function_.inputCount); i < buffers.size(); ++i) {
    const auto bytes = buffers[i].bytes();
    outputs[function_.parameters[i]->name] =
        valuesOf({bytes.begin(), bytes.end()}, function_.parameters[i]->type);
  }
  return outputs;
}

} // namespace nestwright::test
