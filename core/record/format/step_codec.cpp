#include "core/record/format/step_codec.h"

#include "core/record/format/bytes.h"
#include "core/support/error.h"

#include <charconv>
#include <limits>

namespace nestwright {

namespace {

/// Codes of the step kinds in the file. Never change or reuse one.
template <class S>
constexpr std::uint64_t kCode = 0;
template <>
constexpr std::uint64_t kCode<AnnotationStep> = 1;
template <>
constexpr std::uint64_t kCode<FuseStep> = 2;
template <>
constexpr std::uint64_t kCode<PragmaStep> = 3;
template <>
constexpr std::uint64_t kCode<ReorderStep> = 4;
template <>
constexpr std::uint64_t kCode<SplitStep> = 5;
template <>
constexpr std::uint64_t kCode<FollowSplitStep> = 6;
template <>
constexpr std::uint64_t kCode<FollowFusedSplitStep> = 7;
template <>
constexpr std::uint64_t kCode<StorageAlignStep> = 8;
template <>
constexpr std::uint64_t kCode<ComputeAtStep> = 9;
template <>
constexpr std::uint64_t kCode<ComputeInlineStep> = 10;
template <>
constexpr std::uint64_t kCode<ComputeRootStep> = 11;
template <>
constexpr std::uint64_t kCode<CacheReadStep> = 12;
template <>
constexpr std::uint64_t kCode<CacheWriteStep> = 13;
template <>
constexpr std::uint64_t kCode<RfactorStep> = 14;

struct Encoder {
  ByteWriter shapeBytes, valueBytes;

  void shape(int& number) { shapeBytes.integer(number); }
  void shape(bool& flag) { shapeBytes.natural(flag ? 1 : 0); }
  void shape(std::string& text) { shapeBytes.text(text); }
  void shape(std::vector<int>& list) {
    shapeBytes.natural(list.size());
    for (const int number : list)
      shapeBytes.integer(number);
  }
  void value(int& number) { valueBytes.integer(number); }
  void value(Annotation& annotation) { valueBytes.natural(std::uint64_t(annotation)); }
  /// Whether a size is decided is shape, the size is a value.
  void value(TileSize& size) {
    shapeBytes.natural(size ? 1 : 0);
    if (size) valueBytes.integer(*size);
  }
  void value(std::vector<TileSize>& sizes) {
    shapeBytes.natural(sizes.size());
    for (TileSize& size : sizes)
      value(size);
  }
  /// Mostly consecutive, so each is told by its distance from the one expected.
  void value(std::vector<int>& list) {
    valueBytes.natural(list.size());
    std::int64_t expected = 0;
    for (const int number : list) {
      valueBytes.integer(number - expected);
      expected = std::int64_t(number) + 1;
    }
  }
  /// "name$number" as a shared name and a number.
  void pragma(std::string& text) {
    const std::size_t digits = text.rfind('$') + 1; // 0 without one
    std::int64_t number = 0;
    std::from_chars(text.data() + digits, text.data() + text.size(), number);
    bool numbered = digits != 0 && std::to_string(number) == text.substr(digits);
    shape(numbered);
    std::string head = numbered ? text.substr(0, digits) : text;
    shape(head);
    if (numbered) valueBytes.integer(number);
  }
};

/// The part of decoding that reads the shape.
struct ShapeDecoder {
  ByteReader shapeBytes;

  static int toInt(std::int64_t number) {
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
      throw InputError("damaged record: a number in a step is out of range");
    return int(number);
  }
  void shape(int& number) { number = toInt(shapeBytes.integer()); }
  void shape(bool& flag) { flag = shapeBytes.natural() != 0; }
  void shape(std::string& text) { text = shapeBytes.text(); }
  void shape(std::vector<int>& list) {
    list.resize(shapeBytes.count());
    for (int& number : list)
      shape(number);
  }
};

struct Decoder : ShapeDecoder {
  ByteReader valueBytes;

  void value(int& number) { number = toInt(valueBytes.integer()); }
  void value(Annotation& annotation) {
    const std::uint64_t code = valueBytes.natural();
    if (code > std::uint64_t(Annotation::Tensorize))
      throw InputError("damaged record: an annotation is unknown");
    annotation = Annotation(code);
  }
  void value(TileSize& size) {
    if (shapeBytes.natural() != 0)
      size = valueBytes.integer();
    else
      size.reset();
  }
  void value(std::vector<TileSize>& sizes) {
    sizes.resize(shapeBytes.count());
    for (TileSize& size : sizes)
      value(size);
  }
  void value(std::vector<int>& list) {
    list.resize(valueBytes.count());
    std::int64_t expected = 0;
    for (int& number : list) {
      // Unsigned, since damaged bytes may hold any distance.
      number = toInt(std::int64_t(std::uint64_t(expected) + std::uint64_t(valueBytes.integer())));
      expected = std::int64_t(number) + 1;
    }
  }
  void pragma(std::string& text) {
    bool numbered = false;
    shape(numbered);
    shape(text);
    if (numbered) text += std::to_string(valueBytes.integer());
  }
};

/// Passes over what has values, so that a shape can be read alone.
struct ShapeSkimmer : ShapeDecoder {
  void value(int&) {}
  void value(Annotation&) {}
  void value(TileSize&) { shapeBytes.natural(); }
  void value(std::vector<TileSize>& sizes) {
    for (std::size_t left = shapeBytes.count(); left > 0; --left)
      shapeBytes.natural();
    sizes.clear();
  }
  void value(std::vector<int>&) {}
  void pragma(std::string& text) {
    shapeBytes.natural();
    text = shapeBytes.text();
  }
};

// One description per step serves both directions. The order of the fields is file format.
template <class Io>
void fields(Io& io, AnnotationStep& s) {
  io.shape(s.stage);
  io.value(s.iterator);
  io.value(s.annotation);
}
template <class Io>
void fields(Io& io, FuseStep& s) {
  io.shape(s.stage);
  io.value(s.iterators);
}
template <class Io>
void fields(Io& io, PragmaStep& s) {
  io.shape(s.stage);
  io.value(s.iterator);
  io.pragma(s.pragma);
}
template <class Io>
void fields(Io& io, ReorderStep& s) {
  io.shape(s.stage);
  io.shape(s.order);
}
template <class Io>
void fields(Io& io, SplitStep& s) {
  io.shape(s.stage);
  io.value(s.iterator);
  io.value(s.extent);
  io.value(s.factors);
  io.shape(s.innerToOuter);
}
template <class Io>
void fields(Io& io, FollowSplitStep& s) {
  io.shape(s.stage);
  io.shape(s.iterator);
  io.shape(s.sourceStep);
  io.value(s.parts);
}
template <class Io>
void fields(Io& io, FollowFusedSplitStep& s) {
  io.shape(s.stage);
  io.shape(s.iterator);
  io.shape(s.sourceSteps);
  io.shape(s.level);
  io.shape(s.byFactor);
}
template <class Io>
void fields(Io& io, StorageAlignStep& s) {
  io.shape(s.stage);
  io.shape(s.iterator);
  io.value(s.factor);
  io.value(s.offset);
}
template <class Io>
void fields(Io& io, ComputeAtStep& s) {
  io.shape(s.stage);
  io.shape(s.targetStage);
  io.value(s.targetIterator);
}
template <class Io>
void fields(Io& io, ComputeInlineStep& s) {
  io.shape(s.stage);
}
template <class Io>
void fields(Io& io, ComputeRootStep& s) {
  io.shape(s.stage);
}
template <class Io>
void fields(Io& io, CacheReadStep& s) {
  io.shape(s.stage);
  io.shape(s.scope);
  io.shape(s.readers);
}
template <class Io>
void fields(Io& io, CacheWriteStep& s) {
  io.shape(s.stage);
  io.shape(s.scope);
}
template <class Io>
void fields(Io& io, RfactorStep& s) {
  io.shape(s.stage);
  io.shape(s.iterator);
  io.shape(s.factorIterator);
}

/// Reads the step whose kind has `code`, trying the alternatives from number `I` on.
template <std::size_t I = 0, class Io>
Step decodeStep(Io& decoder, std::uint64_t code) {
  if constexpr (I == std::variant_size_v<Step>) {
    throw InputError(fmt::format("damaged record: step kind {} is unknown", code));
  } else {
    using S = std::variant_alternative_t<I, Step>;
    static_assert(kCode<S> != 0, "a new step kind needs a code of its own");
    if (code != kCode<S>) return decodeStep<I + 1>(decoder, code);
    S step{};
    fields(decoder, step);
    return step;
  }
}

} // namespace

EncodedSteps encodeSteps(const Steps& steps) {
  Encoder encoder;
  for (const Step& step : steps)
    std::visit(
        [&](auto copy) {
          encoder.shapeBytes.natural(kCode<decltype(copy)>);
          fields(encoder, copy);
        },
        step);
  return {encoder.shapeBytes.bytes(), encoder.valueBytes.bytes()};
}

Steps decodeSteps(std::string_view shape, std::string_view values) {
  Decoder decoder{{ByteReader(shape)}, ByteReader(values)};
  Steps steps;
  while (!decoder.shapeBytes.atEnd())
    steps.push_back(decodeStep(decoder, decoder.shapeBytes.natural()));
  if (!decoder.valueBytes.atEnd()) throw InputError("damaged record: values left over");
  return steps;
}

std::set<int> stepKinds(std::string_view shape) {
  ShapeSkimmer skimmer{{ByteReader(shape)}};
  std::set<int> kinds;
  while (!skimmer.shapeBytes.atEnd()) {
    const std::uint64_t code = skimmer.shapeBytes.natural();
    decodeStep(skimmer, code);
    kinds.insert(int(code));
  }
  return kinds;
}

int stepKindNamed(std::string_view word) {
  constexpr std::pair<std::string_view, std::uint64_t> kNames[] = {
      {"annotation", kCode<AnnotationStep>},
      {"fuse", kCode<FuseStep>},
      {"pragma", kCode<PragmaStep>},
      {"reorder", kCode<ReorderStep>},
      {"split", kCode<SplitStep>},
      {"follow-split", kCode<FollowSplitStep>},
      {"follow-fused-split", kCode<FollowFusedSplitStep>},
      {"storage-align", kCode<StorageAlignStep>},
      {"compute-at", kCode<ComputeAtStep>},
      {"inline", kCode<ComputeInlineStep>},
      {"root", kCode<ComputeRootStep>},
      {"cache-read", kCode<CacheReadStep>},
      {"cache-write", kCode<CacheWriteStep>},
      {"rfactor", kCode<RfactorStep>}};
  for (const auto& [name, code] : kNames)
    if (name == word) return int(code);
  throw InputError(fmt::format("there is no kind of step \"{}\"", word));
}

} // namespace nestwright
