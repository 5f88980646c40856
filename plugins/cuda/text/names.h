#pragma once
/// \file Names of variables and buffers in generated text: those of the IR, as C writes them.

#include "core/tensor/expr.h"

#include <map>
#include <set>
#include <string>

namespace nestwright::cuda {

/// Letters, digits and underscores, beginning with a letter.
std::string identifier(const std::string& name);

/// Gives each variable and buffer of a kernel a name of its own, in the order in which they come.
class Names {
 public:
  const std::string& operator()(const VarNode* var) { return nameOf(var, var->name); }
  const std::string& operator()(const BufferNode* buffer) { return nameOf(buffer, buffer->name); }
  /// A name for a constant, which stands outside of the kernels, where CUDA's functions are.
  const std::string& constant(const BufferNode* buffer) {
    return nameOf(buffer, "table_" + buffer->name);
  }
  /// A name for something that the IR does not have.
  std::string fresh(const std::string& wanted);

 private:
  const std::string& nameOf(const void* what, const std::string& wanted);

  std::map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

} // namespace nestwright::cuda
