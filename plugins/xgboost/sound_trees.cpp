#include "plugins/xgboost/sound_trees.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <set>

namespace nestwright::xgboost {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& what) {
  throw InputError(what);
}

/// Follows the bytes and keeps only the names of fields: few bytes may stand for much memory, or
/// for values within values without end. Of two fields with one name XGBoost takes the first, and
/// our reader the last, so that what was looked at would not be what is used.
class Measure : public json::json_sax_t {
 public:
  explicit Measure(std::size_t bytes) : left_(bytes) {}

  bool null() override { return count(); }
  bool boolean(bool /*value*/) override { return count(); }
  bool number_integer(number_integer_t /*value*/) override { return count(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return count(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return count(); }
  bool string(string_t& /*value*/) override { return count(); }
  bool binary(binary_t& /*value*/) override { return count(); }
  bool key(string_t& value) override {
    return count() && names_.back().insert(std::move(value)).second;
  }
  bool start_object(std::size_t /*size*/) override { return enter(); }
  bool start_array(std::size_t /*size*/) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool count() { return left_ > 0 && left_-- > 0; }
  bool enter() {
    constexpr std::size_t kDeepest = 16; // XGBoost's own are half as deep
    if (!count() || names_.size() == kDeepest) return false;
    names_.emplace_back();
    return true;
  }
  bool leave() {
    names_.pop_back();
    return true;
  }

  std::size_t left_;                         // values: each takes a byte at least
  std::vector<std::set<std::string>> names_; // of the fields so far, in all that is open
};

/// Numbers of the model as a whole are written as texts.
std::size_t number(const json& fields, const char* name) {
  const auto& text = fields.at(name).get_ref<const std::string&>();
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(fmt::format("its {} is \"{:.40}\"", name, text));
  return value;
}

const json& listOf(const json& tree, const char* name, std::size_t size) {
  const json& list = tree.at(name);
  if (!list.is_array() || list.size() != size)
    refuse(fmt::format("a tree of {} has {} {}", quantity(std::int64_t(size), "node"), list.size(),
                       name));
  return list;
}

/// Whether following the children from the root ends: every node that is a child has one parent,
/// which is the one that it names. What was pruned is nobody's child, and names a node all the
/// same.
void requireTree(const json& tree, std::size_t nodes, std::size_t columns) {
  const json& left = listOf(tree, "left_children", nodes);
  const json& right = listOf(tree, "right_children", nodes);
  const json& parents = listOf(tree, "parents", nodes);
  const json& features = listOf(tree, "split_indices", nodes);
  std::vector<bool> taken(nodes, false);
  const auto isNode = [&](std::int64_t number) {
    return number >= 0 && number < static_cast<std::int64_t>(nodes);
  };
  for (std::size_t node = 0; node < nodes; ++node) {
    if (const auto parent = parents[node].get<std::int64_t>(); node > 0 && !isNode(parent))
      refuse(fmt::format("node {} of a tree has the parent {}", node, parent));
    if (left[node].get<std::int64_t>() == -1) continue; // a leaf
    for (const json* children : {&left, &right}) {
      const auto child = (*children)[node].get<std::int64_t>();
      if (child == 0 || !isNode(child) || taken[static_cast<std::size_t>(child)] ||
          parents[static_cast<std::size_t>(child)].get<std::int64_t>() !=
              static_cast<std::int64_t>(node))
        refuse(fmt::format("node {} of a tree has the child {}", node, child));
      taken[static_cast<std::size_t>(child)] = true;
    }
    const auto feature = features[node].get<std::int64_t>();
    if (feature < 0 || feature >= static_cast<std::int64_t>(columns))
      refuse(fmt::format("node {} of a tree asks for feature {} of {}", node, feature, columns));
  }
}

void requireSoundTree(const json& tree, std::size_t columns) {
  const json& parameters = tree.at("tree_param");
  const std::size_t nodes = number(parameters, "num_nodes");
  if (nodes == 0) refuse("a tree has no nodes");
  if (number(parameters, "num_feature") != columns || number(parameters, "num_deleted") > nodes ||
      number(parameters, "size_leaf_vector") > 1)
    refuse("a tree's parameters are not those of its model");
  requireTree(tree, nodes, columns);
  for (const char* name : {"base_weights", "loss_changes", "split_conditions", "sum_hessian"})
    for (const json& value : listOf(tree, name, nodes))
      if (!value.is_number()) refuse(fmt::format("a tree's {} are no numbers", name));
  listOf(tree, "default_left", nodes);
  for (const json& type : listOf(tree, "split_type", nodes))
    if (type != 0) refuse("a tree splits by categories, which our features have not");
  for (const char* name :
       {"categories", "categories_nodes", "categories_segments", "categories_sizes"})
    listOf(tree, name, 0);
}

void requireSoundModel(const json& learner, std::size_t columns) {
  for (const char* part : {"attributes", "learner_model_param"})
    (void)learner.at(part);
  (void)learner.at("objective").at("name");
  const json& booster = learner.at("gradient_booster");
  if (booster.at("name") != "gbtree") refuse("it does not consist of trees alone");
  const json& model = booster.at("model");
  const json& trees = model.at("trees");
  const json& parameters = model.at("gbtree_model_param");
  if (number(parameters, "num_trees") != trees.size() ||
      model.at("tree_info").size() != trees.size())
    refuse(fmt::format("it has {}, and says otherwise", quantity(std::ssize(trees), "tree")));
  if (number(parameters, "num_parallel_tree") > 1 || number(parameters, "size_leaf_vector") > 1)
    refuse("its trees are those of a forest");
  for (const json& group : model.at("tree_info"))
    if (group != 0) refuse("a tree belongs to another class");
  const json& whole = learner.at("learner_model_param");
  (void)whole.at("base_score").get_ref<const std::string&>();
  if (number(whole, "num_feature") != columns || number(whole, "num_class") > 1 ||
      number(whole, "num_target") > 1)
    refuse(fmt::format("it was not made for one score of {}",
                       quantity(std::int64_t(columns), "feature")));
  for (const json& tree : trees)
    requireSoundTree(tree, columns);
}

} // namespace

void requireSoundTrees(std::string_view ubj, std::size_t columns) {
  Measure measure(ubj.size());
  if (!json::sax_parse(ubj.begin(), ubj.end(), &measure, json::input_format_t::ubjson))
    refuse("its bytes are no UBJ, or have a field twice");
  try {
    requireSoundModel(json::from_ubjson(ubj.begin(), ubj.end()).at("learner"), columns);
  } catch (const json::exception& e) {
    refuse(
        fmt::format("something that belongs to it is missing or of a wrong type ({})", e.what()));
  }
}

} // namespace nestwright::xgboost
