#pragma once
/// \file What can go wrong, told to three audiences: `InputError` to the person who gave us
/// something that cannot work, `IllegalSchedule` to a search that tried something impossible,
/// and `NW_ASSERT` to ourselves.

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace nestwright {

/// Base of all errors that cross an API border. `what()` is one readable text: what is wrong,
/// where, and what to do about it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The given input (file, text, parameter, command line) cannot work as it is.
class InputError : public Error {
 public:
  using Error::Error;
};

/// One whose message begins with the place: callers add no place of their own.
class PlacedInputError : public InputError {
 public:
  using InputError::InputError;
};

/// The wrong use of a command or an option; the command line exits with 2.
class UsageError : public InputError {
 public:
  using InputError::InputError;
};

/// The machine around us failed: a file that cannot be written, a process that cannot be started,
/// a plugin that is missing.
class SystemError : public Error {
 public:
  using Error::Error;
};

/// A schedule step that cannot be applied. An expected outcome in a search: it becomes a verdict.
class IllegalSchedule : public Error {
 public:
  explicit IllegalSchedule(const std::string& reason, int stepIndex = -1)
      : Error(reason), stepIndex_(stepIndex) {}
  /// Index of the step that broke the program, or -1 when no single step did.
  int stepIndex() const { return stepIndex_; }

 private:
  int stepIndex_;
};

namespace detail {
[[noreturn]] void assertionFailed(const char* file, int line, const char* condition,
                                  const std::string& message);
} // namespace detail

} // namespace nestwright

/// Stops the program on a mistake of our own; never reachable by any input. The message is only
/// built when the condition fails.
#define NW_ASSERT(condition, ...)                                                                  \
  do {                                                                                             \
    if (!(condition)) [[unlikely]]                                                                 \
      ::nestwright::detail::assertionFailed(__FILE__, __LINE__, #condition,                        \
                                            fmt::format(__VA_ARGS__));                             \
  } while (false)
