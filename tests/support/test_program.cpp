/// Runs the test that is named first, as a program of its own would.

#include "tests/support/test_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace nestwright::test_program {
namespace {

constexpr int kWrongUse = 2;

/// In a function, so that it is there before the first test is added.
std::vector<KnownTest>& knownTests() {
  static std::vector<KnownTest> tests;
  return tests;
}

} // namespace

bool add(const KnownTest& test) {
  knownTests().push_back(test);
  return true;
}

namespace {

void listTests() {
  std::vector<KnownTest> tests = knownTests();
  std::ranges::sort(tests, {}, &KnownTest::name);
  for (const KnownTest& test : tests)
    fmt::print("{}\n", test.name);
}

int runNamed(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "Usage: {} TEST [OPTION of Qt Test ...], where TEST is one of\n", argv[0]);
    listTests();
    return kWrongUse;
  }
  const auto test = std::ranges::find(knownTests(), std::string_view(argv[1]), &KnownTest::name);
  if (test == knownTests().end()) {
    fmt::print(stderr, "{} has no test \"{}\"; without arguments it lists them\n", argv[0],
               argv[1]);
    return kWrongUse;
  }
  QTest::setMainSourcePath(test->file);
  std::copy(argv + 2, argv + argc + 1, argv + 1); // with the null pointer at the end
  return test->run(argc - 1, argv);
}

} // namespace
} // namespace nestwright::test_program

int main(int argc, char** argv) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("nestwright-test-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  // The kernels and trainings of other tests do not wait for those of this one.
  setenv("NESTWRIGHT_QUIET_FILE", (folder / "quiet").c_str(), 0);
  // Settings and documents are not the person's, nor another test's that runs beside this one.
  setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
  // Qt's five minutes are less than a training takes beside two other tests.
  setenv("QTEST_FUNCTION_TIMEOUT", "1200000", 0);
  const int failed = nestwright::test_program::runNamed(argc, argv);
  std::error_code absent;
  std::filesystem::remove_all(folder, absent);
  return failed;
}
