#pragma once
/// \file How long tests wait for what comes from other threads and processes. Qt's five seconds
/// pass on a busy machine before an answer is due; what comes sooner is not waited for.

#include <QTest>

namespace nestwright::test_program {

inline constexpr int kPatienceMilliseconds = 30'000;

} // namespace nestwright::test_program

#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(condition)                                                                     \
  QTRY_VERIFY_WITH_TIMEOUT(condition, ::nestwright::test_program::kPatienceMilliseconds)
#define QTRY_VERIFY2(condition, text)                                                              \
  QTRY_VERIFY2_WITH_TIMEOUT(condition, text, ::nestwright::test_program::kPatienceMilliseconds)
#define QTRY_COMPARE(actual, expected)                                                             \
  QTRY_COMPARE_WITH_TIMEOUT(actual, expected, ::nestwright::test_program::kPatienceMilliseconds)
