#include "tests/fuzz/mutation.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>

namespace nestwright::fuzz {

namespace {

using nlohmann::json;

template <class T>
using Choices = std::vector<std::function<T()>>;

template <class T>
T oneOf(const Choices<T>& choices, Random& random) {
  return random.pick(choices)();
}

char anyByte(Random& random) {
  return static_cast<char>(random.below(256));
}

/// A part of the text, possibly long.
std::string anyPart(const std::string& text, std::size_t longest, Random& random) {
  if (text.empty()) return {};
  return text.substr(random.below(text.size()), random.below(longest) + 1);
}

std::string damagedOnce(std::string bytes, const std::string& other, Random& random) {
  if (bytes.empty()) return anyPart(other, 64, random);
  const std::size_t at = random.below(bytes.size());
  constexpr std::size_t kBlock = 4096; // of databases and of disks
  switch (random.below(9)) {
  case 0: // one bit
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
    break;
  case 1:
    bytes[at] = anyByte(random);
    break;
  case 2: // a number in binary
    for (std::size_t i = at; i < std::min(at + (std::size_t(1) << random.below(4)), bytes.size());
         ++i)
      bytes[i] = random.below(2) == 0 ? '\xff' : '\x7f';
    break;
  case 3:
    bytes.resize(at);
    break;
  case 4:
    bytes.erase(at, 1 + random.below(kBlock));
    break;
  case 5:
    bytes.insert(at, anyPart(bytes, kBlock, random));
    break;
  case 6: // what a crash of the machine leaves
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                std::min(kBlock, bytes.size() - at), '\0');
    break;
  case 7:
    if (const std::string part = anyPart(other, kBlock, random); !part.empty())
      bytes.replace(at, std::min(part.size(), bytes.size() - at), part);
    break;
  default: // the first bytes say what everything else is
    bytes[random.below(std::min<std::size_t>(bytes.size(), 128))] = anyByte(random);
  }
  return bytes;
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

struct Span {
  std::size_t begin = 0, size = 0;
};

/// Where the text has words whose first character `accepts`.
template <class F>
std::vector<Span> words(const std::string& text, const F& accepts) {
  std::vector<Span> found;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && isWordCharacter(text[end]))
      ++end;
    if (end > i && accepts(text[i])) found.push_back({i, end - i});
    i = std::max(end, i + 1);
  }
  return found;
}

std::vector<Span> numbers(const std::string& text) {
  return words(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

std::vector<Span> names(const std::string& text) {
  return words(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) == 0; });
}

/// Quoted texts, without their quotes.
std::vector<Span> quotedTexts(const std::string& text) {
  std::vector<Span> found;
  for (std::size_t i = text.find('"'); i != std::string::npos;) {
    const std::size_t end = text.find('"', i + 1);
    if (end == std::string::npos) break;
    found.push_back({i + 1, end - i - 1});
    i = text.find('"', end + 1);
  }
  return found;
}

std::vector<Span> lines(const std::string& text) {
  std::vector<Span> found;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find('\n', i), text.size() - 1);
    found.push_back({i, end - i + 1});
    i = end + 1;
  }
  return found;
}

std::string numberText(Random& random) {
  switch (random.below(6)) {
  case 0:
    return std::string(1 + random.below(400), '9');
  case 1:
    return fmt::format("{}", extremeReal(random));
  case 2:
    return random.below(2) == 0 ? "1e99999" : "-0";
  case 3:
    return std::to_string(random.below(10));
  default:
    return std::to_string(extremeInteger(random));
  }
}

/// The brackets of the kind, one within the other.
std::string deepNest(Random& random) {
  constexpr std::array<const char*, 3> kPairs = {"()", "[]", "{}"};
  const char* pair = random.pick(kPairs);
  const std::size_t depth = 1 + random.below(random.below(4) == 0 ? 200'000 : 200);
  return std::string(depth, pair[0]) + "1" + std::string(depth, pair[1]);
}

/// Exchanges one of the spans, if there is one.
void exchange(std::string& text, const std::vector<Span>& spans,
              const std::function<std::string(const Span&)>& by, Random& random) {
  if (spans.empty()) return;
  const Span& span = random.pick(spans);
  text.replace(span.begin, span.size, by(span));
}

std::string alteredOnce(std::string text, const std::string& marker, Random& random) {
  const auto part = [&](const Span& span) { return text.substr(span.begin, span.size); };
  switch (random.below(8)) {
  case 0:
  case 1:
    exchange(
        text, numbers(text), [&](const Span&) { return numberText(random); }, random);
    break;
  case 2:
    if (const std::vector<Span> all = names(text); !all.empty()) {
      const std::string other = part(random.pick(all));
      exchange(
          text, all, [&](const Span&) { return other; }, random);
    }
    break;
  case 3:
    exchange(
        text, quotedTexts(text), [&](const Span&) { return nastyText(marker, random); }, random);
    break;
  case 4:
    exchange(
        text, lines(text), [](const Span&) { return ""; }, random);
    break;
  case 5:
    exchange(
        text, lines(text), [&](const Span& span) { return part(span) + part(span); }, random);
    break;
  case 6:
    exchange(
        text, numbers(text), [&](const Span&) { return deepNest(random); }, random);
    break;
  default: {
    constexpr std::string_view kSigns = "[](){},:;\"'=+-*/%#\\\n\t.";
    text.insert(random.below(text.size() + 1), 1, random.pick(kSigns));
  }
  }
  return text;
}

json anyValue(const std::string& marker, Random& random) {
  return oneOf<json>(
      {[] { return json(); }, [] { return json::array(); }, [] { return json::object(); },
       [] { return json(true); }, [&] { return json(extremeInteger(random)); },
       [&] { return json(extremeReal(random)); }, [&] { return json(nastyText(marker, random)); },
       [&] { return json(std::to_string(extremeInteger(random))); },
       [&] { return json(json::array({extremeInteger(random)})); }},
      random);
}

/// A value of the document, all alike likely; the document itself too.
json& anyPlace(json& document, Random& random) {
  std::vector<json*> places;
  const std::function<void(json&)> collect = [&](json& value) {
    places.push_back(&value);
    if (value.is_structured())
      for (json& child : value)
        collect(child);
  };
  collect(document);
  return *random.pick(places);
}

void alterPlace(json& place, const std::string& marker, Random& random) {
  const bool grows = place.is_structured() && !place.empty();
  switch (random.below(grows ? 4 : 2)) {
  case 0:
    place = anyValue(marker, random);
    break;
  case 1:
    if (place.is_string())
      place = mutatedText(place.get<std::string>(), marker, random);
    else if (place.is_number())
      place = extremeInteger(random);
    else
      place = anyValue(marker, random);
    break;
  case 2: { // one of its values is lost
    auto child = place.begin();
    std::advance(child, random.below(place.size()));
    place.erase(child);
    break;
  }
  default: // one more, or many more
    if (place.is_array()) {
      const json child = random.pick(place.get_ref<const json::array_t&>());
      for (std::uint64_t i = random.below(4) == 0 ? 10'000 : 1; i > 0; --i)
        place.push_back(child);
    } else {
      place[nastyText(marker, random)] = anyValue(marker, random);
    }
  }
}

} // namespace

std::int64_t extremeInteger(Random& random) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::array<std::int64_t, 22> kExtremes = {0,
                                                      1,
                                                      -1,
                                                      2,
                                                      7,
                                                      kMin,
                                                      kMin + 1,
                                                      kMax,
                                                      kMax - 1,
                                                      kMax / 2,
                                                      1ll << 31,
                                                      1ll << 32,
                                                      1ll << 33,
                                                      (1ll << 31) - 1,
                                                      -(1ll << 31),
                                                      1ll << 53,
                                                      255,
                                                      256,
                                                      65'535,
                                                      65'536,
                                                      1'000'003,
                                                      -1'000'000};
  return random.pick(kExtremes);
}

double extremeReal(Random& random) {
  using Double = std::numeric_limits<double>;
  constexpr std::array<double, 10> kExtremes = {0.0,   -0.0,   Double::min(), Double::denorm_min(),
                                                1e300, -1e300, Double::max(), 0.5,
                                                -1.0,  1e-300};
  return random.pick(kExtremes);
}

std::string nastyText(const std::string& marker, Random& random) {
  const std::string file = marker + "/made";
  return oneOf<std::string>(
      {[] { return std::string(); }, [&] { return std::string(1 + random.below(1 << 20), 'x'); },
       [] { return std::string("\x1b]0;title\x07\x1b[2J\x1b[31m"); },
       [] { return std::string("a\0b\r\n\t\v\x7f", 9); },
       [] { return std::string("\xff\xfe\xc0\x80\xed\xa0\x80"); },
       [] { return std::string("%s%n{}{0}{:>999999999}"); },
       [] {
         return std::string("\xe2\x80\xae"
                            "evil\xf0\x9f\x92\xa9");
       },
       [] { return std::string("../../../../../../etc/passwd"); },
       [] { return std::string("/dev/zero"); }, [] { return std::string("/dev/stdin"); },
       [&] { return "$(touch " + file + ")`touch " + file + "`"; },
       [&] { return "'; touch " + file + "; '\"; touch " + file + " #"; },
       [&] { return "|touch " + file; }, [&] { return file; }, [&] { return marker + "/"; },
       [] { return std::string("=cmd|' /C calc'!A0"); },
       [] { return std::string("' OR 1=1; DROP TABLE record; --"); },
       [] { return std::string("NaN"); }},
      random);
}

std::string mutatedBytes(std::string bytes, const std::string& other, Random& random) {
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes)
    bytes = damagedOnce(std::move(bytes), other, random);
  return bytes;
}

std::string mutatedText(std::string text, const std::string& marker, Random& random) {
  if (random.below(4) == 0) return mutatedBytes(text, text, random);
  for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
    text = alteredOnce(std::move(text), marker, random);
  return text;
}

json mutatedJson(json document, const std::string& marker, Random& random) {
  for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
    alterPlace(anyPlace(document, random), marker, random);
  return document;
}

} // namespace nestwright::fuzz
