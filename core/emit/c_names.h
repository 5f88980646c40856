#pragma once
/// \file Names of variables and buffers in generated text: those of the IR, as C writes them.

#include "core/tensor/expr.h"

#include <map>
#include <set>
#include <string>

namespace nestwright {

/// Letters, digits and underscores, beginning with a letter; no word of C, C++ or CUDA C.
std::string cIdentifier(const std::string& name);

/// Gives each variable and buffer of a function a name of its own, in the order in which they come.
class CNames {
 public:
  const std::string& operator()(const VarNode* var) { return nameOf(var, var->name); }
  const std::string& operator()(const BufferNode* buffer) { return nameOf(buffer, buffer->name); }
  /// The name of a variable or buffer that has none yet, after another than its own.
  const std::string& named(const void* what, const std::string& wanted) {
    return nameOf(what, wanted);
  }
  /// What had a name is gone, and the name is free again.
  void release(const void* what);
  /// A name for something that the IR does not have.
  std::string fresh(const std::string& wanted);

 private:
  const std::string& nameOf(const void* what, const std::string& wanted);

  std::map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

} // namespace nestwright
