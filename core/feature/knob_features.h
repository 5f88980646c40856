#pragma once
/// \file AutoTVM's "knob" features: a configuration's entities as numbers.

#include "core/template/config_space.h"

#include <span>
#include <vector>

namespace nestwright {

/// The numbers of all knobs' values, put together for a configuration by its index.
class KnobFeatures {
 public:
  explicit KnobFeatures(const ConfigSpace& space);

  /// A split's sizes, the outermost -1; the order of a reorder; eleven numbers for each annotated
  /// loop; the value of an option, or its place in the list where it is a word. Throws InputError
  /// for an index that is not there.
  std::vector<float> of(std::int64_t config) const;
  /// Those of options alone, which the other kinds of features are followed by.
  std::vector<float> optionsOf(std::int64_t config) const;

 private:
  struct KnobTable {
    bool isOption = false;
    std::vector<std::vector<float>> values; // of each of the knob's values
  };
  std::vector<float> collect(std::int64_t config, bool optionsOnly) const;

  std::vector<KnobTable> knobs_;
  std::int64_t size_ = 1;
  std::size_t length_ = 0; // the longest
};

} // namespace nestwright
