#pragma once
/// \file A trained cost model as a file of its own: the model's bytes, and what it was trained on.

#include "core/dataset/data_choice.h"
#include "core/dataset/data_parts.h"

#include <set>
#include <string>
#include <string_view>

namespace nestwright {

struct ModelFile {
  std::string model;           // as costModel() takes it
  std::string features;        // as featureChoice() takes it
  std::string target;          // id of the machine; of several, one of them
  DataChoice choice;           // of its data
  std::string targetText;      // that machine in words; empty where the file does not say
  std::set<std::string> tasks; // definitionHash() of those that it learned from
  std::set<std::string> kinds; // kindHash() of them; empty where the file does not say
  LeakCheck leaks;             // between the parts of its data, before it was trained
  std::string bytes;           // CostModel::save()
};

/// The file's bytes: a line of JSON, then the model's.
std::string modelFileBytes(const ModelFile& file);
/// The inverse. Throws InputError for what is no such file, was cut off or altered, or is of a
/// newer version, naming both (C42).
ModelFile modelFileFrom(std::string_view bytes);
/// Whether these are the bytes of such a file, and not of a model alone.
bool isModelFile(std::string_view bytes);

} // namespace nestwright
