#pragma once
/// \file Which step makes a program illegal, apart from why.

#include "core/support/error.h"

#include <string>

namespace nestwright {

/// A step that cannot be applied. Its text names the step, whose words differ from program to
/// program.
class IllegalStep : public IllegalSchedule {
 public:
  /// `where` says which step it is: "step 7 (compute pad at ...)".
  IllegalStep(const std::string& where, std::string reason, int stepIndex);
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// Why a program is illegal in general words, without the step, so that reasons of one kind are
/// counted together.
std::string generalReason(const IllegalSchedule& error);

} // namespace nestwright
