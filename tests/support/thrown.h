#pragma once
/// \file What a piece of work throws, as a text to compare.

#include "core/support/error.h"

#include <functional>
#include <string>

namespace nestwright::test {

/// The message of the error that the work ends with; empty when it ends well.
inline std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

} // namespace nestwright::test
