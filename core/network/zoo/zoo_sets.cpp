#include "core/network/zoo/zoo_sets.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

using Configurations = std::vector<NetworkConfiguration>;

/// One of TenSet's names with our name for the network and how its sizes are written.
struct Family {
  const char* tensetName;
  const char* name;
  std::vector<int> batches;
  std::vector<int> sizes;
  const char* parameters; // with {0} for the size
};

const std::vector<Family>& families() {
  constexpr const char* kImage = "image={0}";
  constexpr const char* kSequence = "sequence={0}";
  const std::vector<int> few{1, 2, 4}, many{1, 4, 8}, images{224, 240, 256}, lengths{64, 128, 256};
  static const std::vector<Family> kFamilies = {
      {"resnet_18", "resnet18", many, images, kImage},
      {"resnet_50", "resnet50", many, images, kImage},
      {"mobilenet_v2", "mobilenet_v2", many, images, kImage},
      {"mobilenet_v3", "mobilenet_v3", many, images, kImage},
      {"wide_resnet_50", "wide_resnet50", many, images, kImage},
      {"resnext_50", "resnext50", many, images, kImage},
      {"inception_v3", "inception_v3", few, {299}, kImage},
      {"densenet_121", "densenet121", few, images, kImage},
      // TenSet feeds (batch, 3, size, size, 16), and the library reads the last axis as the width.
      {"resnet3d_18", "r3d_18", few, {112, 128, 144}, "depth={0},height={0},width=16"},
      {"bert_tiny", "bert_tiny", few, lengths, kSequence},
      {"bert_base", "bert_base", few, lengths, kSequence},
      {"bert_medium", "bert_medium", few, lengths, kSequence},
      {"bert_large", "bert_large", few, lengths, kSequence},
      {"dcgan", "dcgan", many, {64, 80, 96}, kImage},
  };
  return kFamilies;
}

Configurations allConfigurations() {
  Configurations all;
  for (const Family& family : families())
    for (const int batch : family.batches)
      for (const int size : family.sizes)
        all.push_back(
            {family.tensetName, fmt::format("{}:batch={},{}", family.name, batch,
                                            fmt::format(fmt::runtime(family.parameters), size))});
  return all;
}

constexpr const char* kHeldOut[] = {"resnet50:batch=1,image=224", "mobilenet_v2:batch=1,image=224",
                                    "resnext50:batch=1,image=224", "bert_tiny:batch=1,sequence=128",
                                    "bert_base:batch=1,sequence=128"};

template <class Condition>
Configurations chosen(const Configurations& all, const Condition& condition) {
  Configurations result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), condition);
  return result;
}

std::vector<NetworkSet> makeSets() {
  const Configurations all = allConfigurations();
  const auto isHeldOut = [](const NetworkConfiguration& network) {
    return std::find(std::begin(kHeldOut), std::end(kHeldOut), network.spec) != std::end(kHeldOut);
  };
  const auto single = [](const NetworkConfiguration& network) {
    return network.spec.find(":batch=1,") != std::string::npos;
  };
  return {{"zoo", "the 120 configurations of TenSet", all},
          {"zoo_batch1", "those of them with batch 1", chosen(all, single)},
          {"zoo_test", "the five that TenSet and TLP hold out for testing", chosen(all, isHeldOut)},
          {"zoo_train", "the 120 without the five held out",
           chosen(all, [&](const NetworkConfiguration& n) { return !isHeldOut(n); })}};
}

} // namespace

const std::vector<NetworkSet>& networkSets() {
  static const std::vector<NetworkSet> kSets = makeSets();
  return kSets;
}

const NetworkSet* findNetworkSet(std::string_view name) {
  const auto& sets = networkSets();
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const NetworkSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

} // namespace nestwright
