#pragma once
/// \file What the operators of a kernel are, fact by fact: their attributes, tensors and work, and
/// why they run as one kernel.

#include "core/network/partition/partition.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nestwright {

struct TensorFacts {
  std::string name; // as in the file, or as the network's builder calls it
  Shape shape;
  DataType type = kFloat32;
  bool constant = false;  // a weight or another constant
  bool learnable = false; // a weight that training changes

  double bytes() const;
};

struct OperatorFacts {
  struct Attribute {
    std::string name, value; // "strides", "2, 2"
    friend bool operator==(const Attribute&, const Attribute&) = default;
  };

  std::string op;   // "Conv"
  std::string name; // "layer1.0.conv1"; need not be unique
  std::vector<Attribute> attributes;
  std::vector<TensorFacts> inputs;
  TensorFacts output;
  std::optional<double> flops; // see flops() of a node
  /// What it reads and writes when each element is moved once; of an input that it has twice, too,
  /// which is not told by names: they need not be unique.
  double bytes = 0;
  /// Why it is part of its kernel, a sentence without its full stop.
  std::string reason;
};

/// An operator's attributes as people write them; ones that change nothing (dilations of 1, one
/// group) are left out.
std::vector<OperatorFacts::Attribute> attributesOf(const Node& node);

/// Of all operators of a group, in the order in which they run.
std::vector<OperatorFacts> operatorFacts(const Partition& partition, const TaskGroup& group);

/// Why no further operator joined each kernel of a partition, which must outlive this.
class KernelEnds {
 public:
  explicit KernelEnds(const Partition& partition);
  /// A sentence without its full stop; empty where nobody reads the result.
  std::string reason(const TaskGroup& group) const;

 private:
  /// The operators that read a tensor, seen through reshapes.
  std::vector<int> readersOf(TensorId id) const;

  const Network& network_;
  std::vector<std::vector<int>> readers_;
  std::vector<TensorId> storage_;
  std::set<TensorId> outputs_;
};

} // namespace nestwright
