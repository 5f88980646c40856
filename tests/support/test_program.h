#pragma once
/// \file Many tests in one program. A file of tests ends with one of the macros below in place of
/// Qt's QTEST_MAIN; the program runs the one that its first argument names:
///
///     tests_session row_contents [options of Qt Test]

#include "tests/support/patience.h"

#include <QCoreApplication>

#include <string_view>

#ifdef QT_WIDGETS_LIB
#include <QApplication>
#endif

/// Makes the test class Class, a QObject, known under the name of the file that this stands in.
/// An Application exists while it runs.
#define NW_TEST_WITH(Class, Application)                                                           \
  [[maybe_unused]] const bool k##Class##IsKnown =                                                  \
      ::nestwright::test_program::add({::nestwright::test_program::stemOf(__FILE__), __FILE__,     \
                                       &::nestwright::test_program::run<Class, Application>});

/// A test without an application object.
#define NW_TEST_APPLESS(Class) NW_TEST_WITH(Class, ::nestwright::test_program::NoApplication)
/// A test that needs an event loop, processes or the like.
#define NW_TEST_GUILESS(Class) NW_TEST_WITH(Class, QCoreApplication)
/// A test that makes widgets.
#define NW_TEST_GUI(Class) NW_TEST_WITH(Class, QApplication)

namespace nestwright::test_program {

/// "row_contents" of "/folder/row_contents.cpp".
consteval std::string_view stemOf(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.substr(0, file.find('.'));
}

/// Stands where a test needs no application object.
struct NoApplication {
  NoApplication(int&, char**) {}
};

/// What Qt's macros do: the class's static initMain(), the application, the test. Gives the number
/// of functions that failed.
template <class Test, class Application>
int run(int argc, char** argv) {
  QTest::Internal::callInitMain<Test>();
  [[maybe_unused]] Application application(argc, argv);
  if constexpr (!std::is_same_v<Application, NoApplication>)
    Application::setAttribute(Qt::AA_Use96Dpi, true);
  Test test;
  return QTest::qExec(&test, argc, argv);
}

struct KnownTest {
  std::string_view name;
  const char* file; // where it is written
  int (*run)(int argc, char** argv);
};

/// Adds a test to those of this program, before main. Always true.
bool add(const KnownTest& test);

} // namespace nestwright::test_program
