#pragma once
/// \file Names with parameters as people write them: `resnet50:batch=1,image=224`,
/// `conv2d:h=56,w=56,ci=64,co=64,k=3`, `model.onnx:batch=1`.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// A name and the parameters that were given with it.
struct Spec {
  std::string name;
  std::map<std::string, std::int64_t> parameters;
};

/// A parameter that a network or a workload knows.
struct ParameterInfo {
  std::string name;
  std::int64_t byDefault = 0;
  std::string meaning;
  std::int64_t lowest = 1;
  std::int64_t highest = 1 << 20;
  /// Left out of complete texts while it has its default: it came after texts had been stored.
  bool quiet = false;
};

/// Splits `name[:key=value,...]`. A colon that no `key=value` list follows belongs to the name, so
/// that paths stay whole. Throws InputError when the list is malformed.
Spec parseSpec(std::string_view text);

/// All of `known` with their defaults, overridden by what was given. Throws InputError naming an
/// unknown parameter (and the known ones) or a value out of range.
std::map<std::string, std::int64_t> resolveParameters(const Spec& spec,
                                                      const std::vector<ParameterInfo>& known);

/// `name:a=1,b=2` with the parameters in the order of `known`.
std::string specText(const std::string& name, const std::vector<ParameterInfo>& known,
                     const std::map<std::string, std::int64_t>& values);

} // namespace nestwright
