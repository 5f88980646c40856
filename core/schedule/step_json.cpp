/// \file Steps in the form of public records (handbook/ansor.md 5.2).

#include "core/schedule/step_items.h"
#include "core/schedule/step_text.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <nlohmann/json.hpp>

#include <concepts>

namespace nestwright {

namespace {

using Json = nlohmann::json;

Json sizeToJson(const TileSize& size) {
  return size ? Json(*size) : Json(nullptr);
}

Json factorsToJson(const std::vector<TileSize>& factors) {
  Json result = Json::array();
  for (const TileSize& factor : factors)
    result.push_back(sizeToJson(factor));
  return result;
}

/// Reads the fields of one step; every complaint names the step.
class FieldReader {
 public:
  explicit FieldReader(const Json& step) : step_(step) {}

  void expectFields(std::size_t count) const {
    if (step_.size() != count)
      fail(fmt::format("it has {} instead of {}", quantity(std::ssize(step_), "item"), count));
  }

  std::int64_t integer(std::size_t i, std::int64_t least, std::int64_t most) const {
    return checked(step_[i], i, least, most);
  }
  int index(std::size_t i) const { return static_cast<int>(integer(i, 0, kMaxIndex)); }
  bool flag(std::size_t i) const { return integer(i, 0, 1) != 0; }

  std::string text(std::size_t i) const {
    if (!step_[i].is_string()) fail(fmt::format("item {} should be a text", i));
    return step_[i].get<std::string>();
  }

  std::vector<int> indices(std::size_t i) const {
    std::vector<int> result;
    result.reserve(list(i).size());
    for (const Json& item : list(i))
      result.push_back(static_cast<int>(checked(item, i, 0, kMaxIndex)));
    return result;
  }

  std::vector<TileSize> sizes(std::size_t i) const {
    std::vector<TileSize> result;
    result.reserve(list(i).size());
    for (const Json& item : list(i))
      result.push_back(item.is_null() ? TileSize() : TileSize(checked(item, i, 1, kMaxSize)));
    return result;
  }

  /// An extent; records write 0 (and sketches null) for an unknown one.
  TileSize extent(std::size_t i) const {
    if (step_[i].is_null()) return std::nullopt;
    const std::int64_t value = integer(i, 0, kMaxSize);
    return value == 0 ? TileSize() : TileSize(value);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("step {} cannot be read: {}; see the step table of the record "
                                 "format for what it should look like",
                                 recordText(step_), what));
  }

 private:
  static constexpr std::int64_t kMaxIndex = 1'000'000;
  static constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

  const Json& list(std::size_t i) const {
    if (!step_[i].is_array()) fail(fmt::format("item {} should be a list", i));
    return step_[i];
  }

  /// `value` is item `i` or stands in that list.
  std::int64_t checked(const Json& value, std::size_t i, std::int64_t least,
                       std::int64_t most) const {
    const char* place = step_[i].is_array() ? "a number in " : "";
    if (!value.is_number_integer()) fail(fmt::format("{}item {} should be an integer", place, i));
    const auto number = value.get<std::int64_t>();
    const bool wraps = value.is_number_unsigned() && number < 0;
    if (wraps || number < least || number > most)
      fail(fmt::format("{}item {} is {}, outside {} to {}", place, i, recordText(value), least,
                       most));
    return number;
  }

  const Json& step_;
};

Step readLoopStep(const FieldReader& r, const std::string& kind) {
  if (kind == "AN") {
    r.expectFields(4);
    return AnnotationStep{
        r.index(1), r.index(2),
        static_cast<Annotation>(r.integer(3, 0, static_cast<int>(Annotation::Tensorize)))};
  }
  if (kind == "FU") {
    r.expectFields(3);
    return FuseStep{r.index(1), r.indices(2)};
  }
  if (kind == "PR") {
    r.expectFields(4);
    return PragmaStep{r.index(1), r.index(2), r.text(3)};
  }
  if (kind == "RE") {
    r.expectFields(3);
    return ReorderStep{r.index(1), r.indices(2)};
  }
  if (kind == "SP") {
    r.expectFields(6);
    return SplitStep{r.index(1), r.index(2), r.extent(3), r.sizes(4), r.flag(5)};
  }
  if (kind == "FSP") {
    r.expectFields(5);
    return FollowSplitStep{r.index(1), r.index(2), r.index(3), r.index(4)};
  }
  if (kind == "FFSP") {
    r.expectFields(6);
    return FollowFusedSplitStep{r.index(1), r.index(2), r.indices(3), r.index(4), r.flag(5)};
  }
  if (kind == "SA") {
    r.expectFields(5);
    return StorageAlignStep{r.index(1), r.index(2), r.index(3), r.index(4)};
  }
  r.fail(fmt::format("\"{}\" is no step", kind));
}

Step readStageStep(const FieldReader& r, const std::string& kind) {
  if (kind == "CA") {
    r.expectFields(4);
    return ComputeAtStep{r.index(1), r.index(2), r.index(3)};
  }
  if (kind == "CI") {
    r.expectFields(2);
    return ComputeInlineStep{r.index(1)};
  }
  if (kind == "CR") {
    r.expectFields(2);
    return ComputeRootStep{r.index(1)};
  }
  if (kind == "CHR") {
    r.expectFields(4);
    return CacheReadStep{r.index(1), r.text(2), r.indices(3)};
  }
  if (kind == "CHW") {
    r.expectFields(3);
    return CacheWriteStep{r.index(1), r.text(2)};
  }
  if (kind == "RF") {
    r.expectFields(4);
    return RfactorStep{r.index(1), r.index(2), r.index(3)};
  }
  return readLoopStep(r, kind);
}

Json itemJson(const auto& item) {
  return Json(item);
}
Json itemJson(const std::vector<TileSize>& factors) {
  return factorsToJson(factors);
}

void writeItem(std::string& out, std::integral auto number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}
void writeItem(std::string& out, const TileSize& size) {
  if (size)
    writeItem(out, *size);
  else
    out += "null";
}
void writeItem(std::string& out, const std::string& text) {
  // Escaped; a damaged file may hold bytes that are no UTF-8.
  out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}
void writeItem(std::string& out, const char* tag) {
  out += '"';
  out += tag;
  out += '"';
}
template <class T>
void writeItem(std::string& out, const std::vector<T>& items) {
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    writeItem(out, items[i]);
  }
  out += ']';
}

} // namespace

Json toJson(const Step& step) {
  // An explicit array: a braced list of two would become an object.
  return withItems(step, [](const auto&... items) {
    Json result = Json::array();
    (result.push_back(itemJson(items)), ...);
    return result;
  });
}

Json toJson(const Steps& steps) {
  Json result = Json::array();
  for (const Step& step : steps)
    result.push_back(toJson(step));
  return result;
}

Step stepFromJson(const Json& json) {
  const FieldReader reader(json);
  if (!json.is_array() || json.size() < 2 || !json[0].is_string())
    reader.fail("it is no list that begins with a tag and a stage");
  return readStageStep(reader, json[0].get<std::string>());
}

Steps stepsFromJson(const Json& json) {
  if (!json.is_array()) throw InputError("the steps of a program should be a JSON list of steps");
  Steps steps;
  steps.reserve(json.size());
  for (const Json& step : json)
    steps.push_back(stepFromJson(step));
  return steps;
}

std::string compactText(const Steps& steps) {
  std::string out = "[";
  for (const Step& step : steps) {
    out += out.size() > 1 ? ",[" : "[";
    withItems(step, [&](const char* tag, const auto&... items) {
      writeItem(out, tag);
      ((out += ',', writeItem(out, items)), ...);
    });
    out += ']';
  }
  return out + ']';
}

std::string recordText(const Json& json) {
  return spacedText(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string recordText(const Steps& steps) {
  return recordText(toJson(steps));
}

std::string spacedText(std::string_view compact) {
  std::string text;
  text.reserve(compact.size() * 5 / 4);
  bool inString = false;
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    text += c;
    if (inString && c == '\\') {
      text += compact[++i];
    } else if (c == '"') {
      inString = !inString;
    } else if (!inString && (c == ',' || c == ':')) {
      text += ' ';
    }
  }
  return text;
}

} // namespace nestwright
