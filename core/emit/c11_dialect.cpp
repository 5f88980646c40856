#include "core/emit/c11_dialect.h"

#include "core/emit/c_type.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nestwright {
namespace {

/// Types that are written as vectors, each behind the one whose values its comparisons have.
constexpr std::array kVectorElements = {kInt32, kInt64, kFloat32, kFloat64};
constexpr int kMostLanes = 64;

int placeOf(DataType element) {
  const auto found = std::ranges::find(kVectorElements, element);
  NW_ASSERT(found != kVectorElements.end(), "C has no vectors of {} here", toString(element));
  return static_cast<int>(found - kVectorElements.begin());
}

/// "f32", "i64".
std::string shortName(DataType type) {
  const char* kind = type.code == DataType::Code::BFloat ? "bf"
                     : type.isFloat()                    ? "f"
                     : type.isBool()                     ? "b"
                     : type.code == DataType::Code::Int  ? "i"
                                                         : "u";
  return fmt::format("{}{}", kind, type.bits);
}

std::string vectorName(DataType type) {
  return fmt::format("{}x{}", shortName(type.element()), type.lanes);
}

/// The integers that a comparison of such vectors gives.
DataType maskType(DataType type) {
  return {DataType::Code::Int, type.bits, type.lanes};
}

std::string extremeText(bool max, DataType type, const std::string& name) {
  const char* smaller = max ? "a < b" : "b < a";
  if (type.isScalar())
    return fmt::format("static inline {0} {1}({0} a, {0} b) {{\n  return {2} ? b : a;\n}}\n",
                       cType(type), name, smaller);
  return fmt::format("static inline {0} {1}({0} a, {0} b) {{\n"
                     "  const {2} takes_b = {3};\n"
                     "  return ({0})((({2})a & ~takes_b) | (({2})b & takes_b));\n}}\n",
                     vectorName(type), name, vectorName(maskType(type)), smaller);
}

std::string absoluteText(DataType type, const std::string& name) {
  const std::string word = cType(type);
  if (type.code == DataType::Code::UInt)
    return fmt::format("static inline {0} {1}({0} a) {{\n  return a;\n}}\n", word, name);
  return fmt::format("static inline {0} {1}({0} a) {{\n"
                     "  return a < 0 ? ({0})(0 - (u{0})a) : a;\n}}\n",
                     word, name);
}

std::string divisionText(bool quotient, DataType type, const std::string& name) {
  const std::string word = cType(type);
  const char* what = quotient ? "The quotient, rounded down; 0 for b == 0."
                              : "What is left of a then: it has the sign of b; 0 for b == 0.";
  if (type.code == DataType::Code::UInt)
    return fmt::format("static inline {0} {1}({0} a, {0} b) {{ /* {2} */\n"
                       "  return b == 0 ? 0 : a {3} b;\n}}\n",
                       word, name, what, quotient ? "/" : "%");
  // The lowest number has no quotient by -1.
  return fmt::format("static inline {0} {1}({0} a, {0} b) {{ /* {2} */\n"
                     "  if (b == 0) return 0;\n"
                     "  if (b == -1) return {3};\n"
                     "  const int wrong = a % b != 0 && (a % b < 0) != (b < 0);\n"
                     "  return {4};\n}}\n",
                     word, name, what, quotient ? fmt::format("({0})(0 - (u{0})a)", word) : "0",
                     quotient ? "a / b - wrong" : "wrong ? a % b + b : a % b");
}

/// From double, which every float is exactly.
std::string conversionText(DataType to, const std::string& name) {
  const bool isSigned = to.code == DataType::Code::Int;
  const std::string limit = fmt::format("{}INT{}", isSigned ? "" : "U", to.bits);
  const std::string lowest = isSigned ? limit + "_MIN" : "0";
  return fmt::format("static inline {0} {1}(double a) {{ /* the nearest that fits; 0 of NaN */\n"
                     "  if (a != a) return 0;\n"
                     "  if (a <= (double){2}) return {2};\n"
                     "  if (a >= (double){3}_MAX) return {3}_MAX;\n"
                     "  return ({0})a;\n}}\n",
                     cType(to), name, lowest, limit);
}

// As in core/tensor/half.cpp, which says why.

constexpr const char* kFromBrain = R"(static inline float from_bf16(uint16_t bits) {
  const uint32_t all = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &all, sizeof value);
  return value;
}
)";

constexpr const char* kToBrain = R"(static inline uint16_t to_bf16(float value) {
  uint32_t all;
  memcpy(&all, &value, sizeof all);
  if (value != value) return (uint16_t)((all >> 16 & 0x8000) | 0x7fc0);
  return (uint16_t)((all + 0x7fff + (all >> 16 & 1)) >> 16);
}
)";

constexpr const char* kFromHalf = R"(static inline float from_f16(uint16_t bits) {
  const uint32_t magnitude = (bits & 0x7fffu) << 13, exponent = magnitude & 0x0f800000;
  uint32_t all = magnitude + (112u << 23);
  float value;
  if (exponent == 0x0f800000) all = 0x7f800000 | (magnitude & ~0x0f800000u);
  if (exponent == 0) all = magnitude + (113u << 23);
  memcpy(&value, &all, sizeof value);
  if (exponent == 0) value -= 0x1p-14f;
  return (bits & 0x8000) != 0 ? -value : value;
}
)";

constexpr const char* kToHalf = R"(static inline uint16_t to_f16(float value) {
  uint32_t all;
  memcpy(&all, &value, sizeof all);
  const uint32_t sign = all >> 16 & 0x8000, magnitude = all & 0x7fffffff;
  if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);
  if (magnitude >= 143u << 23) return (uint16_t)(sign | 0x7c00);
  if (magnitude < 113u << 23) {
    float shifted = (value < 0 ? -value : value) + 0.5f;
    memcpy(&all, &shifted, sizeof all);
    return (uint16_t)(sign | (all - 0x3f000000));
  }
  return (uint16_t)(sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13);
}
)";

const char* suffixOf(DataType half) {
  return half.code == DataType::Code::BFloat ? "bf16" : "f16";
}

} // namespace

std::string C11Dialect::type(DataType type) const {
  return cType(type);
}

std::string C11Dialect::integer(std::int64_t value, DataType type) {
  if (type.isBool()) return value != 0 ? "1" : "0";
  if (type.code == DataType::Code::UInt) {
    const auto bits = static_cast<std::uint64_t>(value);
    const std::uint64_t mask =
        type.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.bits) - 1;
    return fmt::format("{}u", bits & mask);
  }
  // C has no negative literals: the lowest value's opposite does not fit.
  if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  if (value == std::numeric_limits<std::int32_t>::min()) return "INT32_MIN";
  return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
}

std::string C11Dialect::real(double value, DataType type) {
  if (type.isHalf()) return narrowed(real(value, kFloat32), type);
  const double kept = type.bits == 64 ? value : static_cast<double>(static_cast<float>(value));
  if (!std::isfinite(kept)) {
    math_ = true;
    return std::isnan(kept) ? "NAN" : kept > 0 ? "INFINITY" : "(-INFINITY)";
  }
  const std::string digits = floatDigits(kept, type);
  return std::signbit(kept) ? fmt::format("({})", digits) : digits;
}

std::string C11Dialect::widened(const std::string& half, DataType type) {
  memory_ = true;
  const std::string name = fmt::format("from_{}", suffixOf(type));
  functions_.emplace(name, type.code == DataType::Code::BFloat ? kFromBrain : kFromHalf);
  return fmt::format("{}({})", name, half);
}

std::string C11Dialect::narrowed(const std::string& value, DataType type) {
  memory_ = true;
  const std::string name = fmt::format("to_{}", suffixOf(type));
  functions_.emplace(name, type.code == DataType::Code::BFloat ? kToBrain : kToHalf);
  return fmt::format("{}({})", name, value);
}

std::string C11Dialect::helper(const std::string& name, DataType type,
                               const std::vector<std::string>& arguments) {
  const std::string full =
      fmt::format("{}_{}", name, type.isScalar() ? shortName(type) : vectorType(type));
  if (!type.isScalar()) (void)vectorType(maskType(type));
  if (name == "min" || name == "max")
    functions_.emplace(full, extremeText(name == "max", type, full));
  else if (name == "abs")
    functions_.emplace(full, absoluteText(type, full));
  else if (name == "floordiv" || name == "floormod")
    functions_.emplace(full, divisionText(name == "floordiv", type, full));
  else
    NW_ASSERT(false, "{} is no function of C here", name);
  return fmt::format("{}({})", full, fmt::join(arguments, ", "));
}

std::string C11Dialect::roundedToZero(const std::string& value, DataType, DataType to) {
  const std::string name = fmt::format("to_{}", shortName(to));
  functions_.emplace(name, conversionText(to, name));
  return fmt::format("{}({})", name, value);
}

std::string C11Dialect::function(const std::string& name, DataType type,
                                 const std::vector<std::string>& arguments) {
  math_ = true;
  return fmt::format("{}{}({})", name, type.bits == 64 ? "" : "f", fmt::join(arguments, ", "));
}

std::string C11Dialect::reciprocalRoot(const std::string& value, DataType type) {
  return fmt::format("({} / {})", real(1, type), function("sqrt", type, {value}));
}

/// C rounds towards zero, which is down where nothing is below it.
bool C11Dialect::dividesAsWritten(const Expr& division) {
  const std::int64_t* divisor = asInt((*division)[1]);
  if (!divisor) return false;
  return division->type.code == DataType::Code::UInt ||
         (*divisor > 0 && isNonNegative && isNonNegative((*division)[0]));
}

std::string C11Dialect::vectorType(DataType type) {
  NW_ASSERT(type.lanes <= kMostLanes, "C has no vectors of {} lanes here", type.lanes);
  vectors_.emplace(placeOf(type.element()), type.lanes);
  return vectorName(type);
}

std::string C11Dialect::vectorTypes() const {
  if (vectors_.empty()) return {};
  std::string text = "/* Vectors that begin at any element. Functions that take them are inside of "
                     "this file alone. */\n"
                     "#pragma GCC diagnostic ignored \"-Wpsabi\"\n";
  for (const auto& [place, lanes] : vectors_) {
    const DataType element = kVectorElements[static_cast<std::size_t>(place)];
    text += fmt::format("typedef {} {} __attribute__((vector_size({}), aligned({}), may_alias));\n",
                        cType(element), vectorName(element.withLanes(lanes)),
                        lanes * element.elementBytes(), element.elementBytes());
  }
  return text + "/* This element of an array and its neighbours, as one vector. */\n"
                "#define LANES(type, element) (*(type *)&(element))\n";
}

std::string C11Dialect::functions() const {
  std::string text;
  for (const auto& [name, definition] : functions_)
    text += (text.empty() ? "" : "\n") + definition;
  return text;
}

std::vector<std::string> c11Names() {
  std::vector<std::string> names = {"LANES",  "THREAD",  "from_f16", "from_bf16",
                                    "to_f16", "to_bf16", "memset",   "memcpy"};
  std::vector<std::string> types;
  for (const DataType type : kVectorElements)
    for (int lanes = 2; lanes <= kMostLanes; lanes *= 2)
      types.push_back(vectorName(type.withLanes(lanes)));
  names.insert(names.end(), types.begin(), types.end());
  for (const char* kind : {"i", "u", "f"})
    for (const int bits : {8, 16, 32, 64})
      types.push_back(fmt::format("{}{}", kind, bits));
  for (const std::string& type : types)
    for (const char* name : {"min", "max", "abs", "floordiv", "floormod", "to"})
      names.push_back(fmt::format("{}_{}", name, type));
  for (const int bits : {8, 16, 32, 64}) {
    names.push_back(fmt::format("int{}_t", bits));
    names.push_back(fmt::format("uint{}_t", bits));
    names.push_back(fmt::format("INT{}_MIN", bits));
    names.push_back(fmt::format("INT{}_MAX", bits));
    names.push_back(fmt::format("UINT{}_MAX", bits));
  }
  names.insert(names.end(), {"NAN", "INFINITY", "NULL"});
  return names;
}

} // namespace nestwright
