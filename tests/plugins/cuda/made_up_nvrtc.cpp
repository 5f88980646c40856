/// \file A compiler that tests make up, for machines without NVRTC and without a GPU: a shared
/// object with NVRTC's functions that has the host's compiler make a library of a kernel's text.
/// The driver that is made up (made_up_driver.h) runs what it gives, so that all between a search
/// and a device is tested as it is, in processes that do not know.

#include "plugins/cuda/text/preamble.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>

namespace {

namespace fs = std::filesystem;

constexpr const char* kHere = NESTWRIGHT_TEST_DATA "/../plugins/cuda/";
constexpr int kSucceeds = 0, kFails = 6;

struct Program {
  std::string source, library, log;
};

/// The text as the host's compiler takes it, with a function for each kernel that takes its
/// arguments as the driver has them.
std::string hostSource(const std::string& source, std::string& log) {
  std::string text =
      fmt::format("#include \"{}host_gpu.h\"\n{}#include \"{}host_gpu_functions.h\"\n", kHere,
                  nestwright::cuda::portablePreamble(), kHere);
  text += source.substr(nestwright::cuda::preamble().size());
  const std::regex kernel(R"(extern "C" __global__ void [^\n]*?(nw_\w+)\(([^)]*)\))");
  for (std::sregex_iterator it(source.begin(), source.end(), kernel), end; it != end; ++it) {
    const std::string name = (*it)[1], parameters = (*it)[2];
    const auto count = 1 + std::count(parameters.begin(), parameters.end(), ',');
    std::string arguments;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      arguments += fmt::format("{}nw_argument{{given[{}]}}", i > 0 ? ", " : "", i);
    text += fmt::format("extern \"C\" void call_{0}(void** given) {{ {0}({1}); }}\n"
                        "extern \"C\" {{ int arguments_{0} = {2}; }}\n",
                        name, arguments, count);
    log += fmt::format("ptxas info    : Compiling entry function '{}' for 'sm_90'\n"
                       "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                       "ptxas info    : Used 32 registers, used 0 barriers\n",
                       name);
  }
  return text;
}

/// A hostile kernel (tests/bench/hostile_kernels.cpp) does on the made-up device what it would do
/// on a real one.
bool compileHostile(Program& program) {
  const auto has = [&](const char* words) {
    return program.source.find(words) != std::string::npos;
  };
  const char* does = has("1ull << 44")        ? "nw_fault_700"
                     : has("volatile double") ? "nw_fault_716"
                     : has("trap;")           ? "nw_fault_719"
                     : has("while (")         ? "nw_hang"
                                              : "nw_good";
  program.library = fmt::format("made-up nw_hostile:{}", does) + '\0';
  return has(" nw_hostile(");
}

bool compile(Program& program) {
  if (!program.source.starts_with(nestwright::cuda::preamble())) return compileHostile(program);
  if (const char* seconds = std::getenv("MADE_UP_COMPILE_SECONDS"))
    std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(seconds)));
  std::string folder = (fs::temp_directory_path() / "made_up_nvrtc_XXXXXX").string();
  if (!mkdtemp(folder.data())) return false;
  const std::string text = folder + "/kernels.cpp", library = folder + "/kernels.so";
  std::ofstream(text) << hostSource(program.source, program.log);
  const std::string command =
      fmt::format("{} -std=c++20 -O1 -w -shared -fPIC -fno-gnu-unique -o {} {} >&2",
                  NESTWRIGHT_COMPILER, library, text);
  const bool made = std::system(command.c_str()) == 0; // NOLINT: a test's own command
  std::ifstream in(library, std::ios::binary);
  program.library.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  fs::remove_all(folder);
  return made;
}

Program* of(void* handle) {
  return static_cast<Program*>(handle);
}

int give(const std::string& text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return kSucceeds;
}
int size(const std::string& text, std::size_t* bytes) {
  *bytes = text.size();
  return kSucceeds;
}

} // namespace

extern "C" {

const char* nvrtcGetErrorString(int result) {
  return result == kSucceeds ? "none" : "made up";
}
int nvrtcVersion(int* major, int* minor) {
  *major = 13, *minor = 0;
  return kSucceeds;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return kSucceeds;
}
int nvrtcGetSupportedArchs(int* all) {
  all[0] = 80, all[1] = 90;
  return kSucceeds;
}
int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source, "", ""};
  return kSucceeds;
}
int nvrtcDestroyProgram(void** program) {
  delete of(*program);
  return kSucceeds;
}
int nvrtcCompileProgram(void* program, int, const char* const*) {
  return compile(*of(program)) ? kSucceeds : kFails;
}
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  return size(of(program)->library, bytes);
}
int nvrtcGetCUBIN(void* program, char* to) {
  return give(of(program)->library, to);
}
int nvrtcGetPTXSize(void* program, std::size_t* bytes) {
  return program ? size("// made up", bytes) : kFails;
}
int nvrtcGetPTX(void*, char* to) {
  return give("// made up", to);
}
int nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
  return size(of(program)->log, bytes);
}
int nvrtcGetProgramLog(void* program, char* to) {
  return give(of(program)->log, to);
}

} // extern "C"
