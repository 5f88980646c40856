#pragma once
/// \file The cost models of a session over templates, as its file keeps them: of each task its own,
/// and what records of other tasks taught before the session began.

#include <map>
#include <string>
#include <string_view>

namespace nestwright {

/// Saved models by the workload keys of their tasks.
struct KeptModels {
  std::map<std::string, std::string> models, histories;
};

/// A line of JSON with all keys and lengths, and then the models; empty when there is none.
std::string toBytes(const KeptModels& kept);
/// The inverse. Throws InputError.
KeptModels keptModels(std::string_view bytes);

} // namespace nestwright
