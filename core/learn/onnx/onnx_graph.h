#pragma once
/// \file An ONNX model under construction.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nestwright {

class OnnxGraph {
 public:
  /// The number of the element type in ONNX.
  static constexpr int kFloat = 1, kInt64 = 7;
  using Attributes = std::map<std::string, std::variant<std::int64_t, std::vector<std::int64_t>>>;

  OnnxGraph();
  ~OnnxGraph();

  // Each gives the name of a value, for nodes to take.
  /// Extents are numbers, or names of such as are free. Floats, or 64-bit integers.
  std::string input(const std::string& name, const std::vector<std::string>& extents, bool floats);
  std::string constant(const std::string& name, const std::vector<std::int64_t>& extents,
                       std::span<const float> values);
  std::string integers(const std::vector<std::int64_t>& values);
  std::string integer(std::int64_t value);
  std::string node(const std::string& op, const std::vector<std::string>& operands,
                   const Attributes& attributes = {});
  std::vector<std::string> nodes(const std::string& op, const std::vector<std::string>& operands,
                                 std::size_t outputs, const Attributes& attributes = {});

  /// What the model gives under this name: floats.
  void output(const std::string& name, const std::string& value,
              const std::vector<std::string>& extents);
  void describe(const std::string& text);
  void property(const std::string& key, const std::string& value);

  /// The whole model.
  std::string bytes() const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

} // namespace nestwright
