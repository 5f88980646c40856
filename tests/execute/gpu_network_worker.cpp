/// The worker for whole networks, on a GPU that is made up. Its first argument is what goes wrong
/// with the device in the first process of a test, its second one after how many kernels; a file in
/// $NESTWRIGHT_TEST_FOLDER tells later processes that this was.
#include "core/execute/network_measurer.h"
#include "tests/execute/emulated_gpu.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

using namespace nestwright;
namespace fs = std::filesystem;

namespace {

test::EmulatedFaults faultsOf(const std::string& fault, int kernels) {
  const std::map<std::string, DeviceFault> running{{"address", DeviceFault::ContextLost},
                                                   {"time", DeviceFault::OutOfTime},
                                                   {"image", DeviceFault::CannotLoad},
                                                   {"resources", DeviceFault::TooManyResources},
                                                   {"other", DeviceFault::Other}};
  test::EmulatedFaults faults;
  faults.faultyRun = kernels;
  if (fault == "memory") faults.memoryBytes = 1000;
  if (const auto found = running.find(fault); found != running.end())
    faults.whileRunning = found->second;
  return faults;
}

} // namespace

int main(int argc, char** argv) {
  const char* const folder = std::getenv("NESTWRIGHT_TEST_FOLDER");
  const fs::path mark = fs::path(folder ? folder : "/nonexistent") / "faulty";
  const bool isFirst = !fs::exists(mark);
  std::ofstream(mark) << "once\n";
  static const test::EmulatedGpuBackend backend(
      isFirst && argc > 2 ? faultsOf(argv[1], std::atoi(argv[2])) : test::EmulatedFaults{});
  return runNetworkWorker([]() -> const Backend& { return backend; });
}
