#pragma once
/// \file What can be tuned, as the new-session dialog offers it, and the check of what was chosen.

#include "core/network/graph/spec.h"

#include <QString>

#include <functional>
#include <string>
#include <vector>

namespace nestwright::ui {

/// A network of the zoo or an operator, with its parameters.
struct Subject {
  std::string name;
  std::string description;
  std::vector<ParameterInfo> parameters;
};

struct Catalogue {
  std::vector<Subject> networks, operators;
  /// Empty when the text names something that can be tuned, else why not. Quick: opens no file.
  std::function<QString(const std::string& subject)> problem;
};

/// The zoo and the operator workloads of core.
Catalogue coreCatalogue();

} // namespace nestwright::ui
