#include "core/feature/primitive_vocabulary.h"

#include "core/schedule/step_items.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

template <class T>
bool hasTwins(std::vector<T> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) != values.end();
}

void requireSound(const PrimitiveVocabulary& vocabulary) {
  const auto refuse = [](const std::string& what) {
    throw InputError(
        fmt::format("the stored vocabulary of schedule primitives cannot be right: {}", what));
  };
  std::vector<std::string> tags;
  for (const PrimitiveKind& kind : vocabulary.kinds) {
    if (std::ranges::find(stepTags(), std::string_view(kind.tag)) == stepTags().end())
      refuse(fmt::format("no step is called \"{}\"", kind.tag));
    if (hasTwins(kind.texts)) refuse(fmt::format("{} has a text twice", kind.tag));
    tags.push_back(kind.tag);
  }
  if (hasTwins(tags)) refuse("it has a kind of step twice");
}

} // namespace

template <class Io>
void fields(Io& io, PrimitiveKind& kind) {
  io("tag", kind.tag);
  io("texts", kind.texts);
}

template <class Io>
void fields(Io& io, PrimitiveVocabulary& vocabulary) {
  io.each("kinds", vocabulary.kinds);
}

std::optional<std::size_t> PrimitiveVocabulary::place(std::string_view tag) const {
  const auto found = std::ranges::find(kinds, tag, &PrimitiveKind::tag);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kinds.begin());
}

int PrimitiveVocabulary::token(std::size_t place, std::string_view text) const {
  const std::vector<std::string>& texts = kinds[place].texts;
  const auto found = std::ranges::find(texts, text);
  return found == texts.end() ? 0 : static_cast<int>(found - texts.begin()) + 1;
}

PrimitiveVocabulary publishedVocabulary(bool gpu) {
  const auto unroll = [](std::initializer_list<int> sizes) {
    PrimitiveKind kind{"PR", {}};
    for (const int size : sizes)
      kind.texts.push_back(fmt::format("auto_unroll_max_step${}", size));
    return kind;
  };
  const PrimitiveKind cacheWrite = {"CHW", {"local", "shared", "global"}};
  if (gpu)
    return {{{"AN", {}},
             {"CHR", {"shared"}},
             cacheWrite,
             {"CI", {}},
             {"CA", {}},
             {"FFSP", {}},
             {"SP", {}},
             {"FU", {}},
             {"RE", {}},
             unroll({0, 16, 64, 1024, 512}),
             {"FSP", {}}}};
  return {{{"CI", {}},
           {"RE", {}},
           {"AN", {}},
           {"RF", {}},
           cacheWrite,
           {"SP", {}},
           {"CR", {}},
           {"CA", {}},
           {"FU", {}},
           {"FSP", {}},
           unroll({16, 0, 512, 64})}};
}

void learn(PrimitiveVocabulary& vocabulary, const Steps& steps) {
  for (const Step& step : steps) {
    const auto known = vocabulary.place(tag(step));
    const std::size_t place = known.value_or(vocabulary.kinds.size());
    if (!known) vocabulary.kinds.push_back({tag(step), {}});
    withItems(step, [&](const char*, const auto&... items) {
      const auto learnText = [&](const auto& item) {
        if constexpr (std::is_same_v<decltype(item), const std::string&>)
          if (vocabulary.token(place, item) == 0) vocabulary.kinds[place].texts.push_back(item);
      };
      (learnText(items), ...);
    });
  }
}

nlohmann::json toJson(const PrimitiveVocabulary& vocabulary) {
  return toFields(vocabulary);
}

PrimitiveVocabulary primitiveVocabularyFromJson(const nlohmann::json& json) {
  PrimitiveVocabulary vocabulary;
  try {
    readFields(json, vocabulary);
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("a vocabulary of schedule primitives cannot be read ({})", e.what()));
  }
  requireSound(vocabulary);
  return vocabulary;
}

} // namespace nestwright
