#include "core/feature/schedule_primitives.h"

#include "core/schedule/step_items.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

constexpr std::size_t kPublishedKinds = 11;
/// What may be cut without a word.
constexpr double kSmallCut = 0.05;

std::size_t numbersIn(const auto&) {
  return 1;
}
template <class T>
std::size_t numbersIn(const std::vector<T>& items) {
  return items.size();
}

std::size_t argumentsOf(const Step& step) {
  return withItems(step,
                   [](const char*, const auto&... items) { return (numbersIn(items) + ...); });
}

/// The least key below or at which there is this share of all that is counted.
std::size_t quantile(const std::map<std::size_t, std::size_t>& counts, std::size_t all,
                     double share) {
  const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(all)));
  std::size_t seen = 0;
  for (const auto& [key, count] : counts)
    if ((seen += count) >= wanted) return key;
  return 0;
}

double shareOf(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

/// Puts a step's numbers into its row, which is zero, as far as it goes.
class StepRow {
 public:
  StepRow(float* row, std::size_t first, std::size_t columns)
      : row_(row), next_(first), columns_(columns) {}

  void number(std::int64_t value) {
    if (next_ < columns_) row_[next_] = static_cast<float>(value);
    ++next_;
  }
  /// How many numbers the whole step has, those of its kind among them.
  std::size_t width() const { return next_; }

 private:
  float* row_;
  std::size_t next_, columns_;
};

bool isUndecided(const Step& step) {
  const auto* const split = std::get_if<SplitStep>(&step);
  return split != nullptr &&
         std::ranges::any_of(split->factors, [](const TileSize& size) { return !size; });
}

} // namespace

PrimitiveShape publishedShape(const PrimitiveVocabulary& vocabulary, bool gpu) {
  const PrimitiveShape published = gpu ? PrimitiveShape{40, 20} : PrimitiveShape{25, 22};
  return {published.steps,
          published.columns - kPublishedKinds + std::max(kPublishedKinds, vocabulary.kinds.size())};
}

void PrimitiveCensus::add(const Steps& steps) {
  ++programs_;
  steps_ += steps.size();
  ++lengths_[steps.size()];
  for (const Step& step : steps)
    ++arguments_[argumentsOf(step)];
}

PrimitiveShape PrimitiveCensus::shape(const PrimitiveVocabulary& vocabulary, double share) const {
  return {std::max<std::size_t>(quantile(lengths_, programs_, share), 1),
          vocabulary.kinds.size() + std::max<std::size_t>(quantile(arguments_, steps_, share), 1)};
}

double PrimitiveCounts::longShare() const {
  return shareOf(longPrograms, programs);
}

double PrimitiveCounts::wideShare() const {
  return shareOf(wideSteps, steps);
}

PrimitiveCounts& PrimitiveCounts::operator+=(const PrimitiveCounts& other) {
  programs += other.programs;
  longPrograms += other.longPrograms;
  steps += other.steps;
  wideSteps += other.wideSteps;
  for (const auto& [what, count] : other.unknown)
    unknown[what] += count;
  return *this;
}

std::string cutWarning(const PrimitiveCounts& counts, const PrimitiveShape& shape) {
  std::vector<std::string> cuts;
  if (counts.longShare() > kSmallCut)
    cuts.push_back(fmt::format("{:.1f} % of the programs have more than {}",
                               100 * counts.longShare(),
                               quantity(std::int64_t(shape.steps), "step")));
  if (counts.wideShare() > kSmallCut)
    cuts.push_back(fmt::format("{:.1f} % of the steps need more than {}", 100 * counts.wideShare(),
                               quantity(std::int64_t(shape.columns), "column")));
  if (cuts.empty()) return {};
  return fmt::format("{}; what is beyond is not seen: a model that is trained with as many as the "
                     "data has would see it (--features steps,fit)",
                     fmt::join(cuts, " and "));
}

std::string unknownText(const PrimitiveCounts& counts) {
  if (counts.unknown.empty()) return {};
  std::vector<std::string> parts;
  for (const auto& [what, count] : counts.unknown)
    parts.push_back(fmt::format("{} ({})", what, count));
  return fmt::format("the model knows no such steps: {}", fmt::join(parts, ", "));
}

std::string unseenText(const PrimitiveCounts& counts, const PrimitiveShape& shape) {
  const std::string unknown = unknownText(counts), cut = cutWarning(counts, shape);
  return unknown.empty() || cut.empty() ? unknown + cut : unknown + "; " + cut;
}

PrimitiveEncoder::PrimitiveEncoder(PrimitiveVocabulary vocabulary, PrimitiveShape shape)
    : vocabulary_(std::move(vocabulary)), shape_(shape) {
  if (shape_.steps == 0 || shape_.columns <= vocabulary_.kinds.size())
    throw InputError(fmt::format("no schedule primitives fit into {} of {}: {} kinds of "
                                 "steps take a column each, and an argument one more",
                                 quantity(std::int64_t(shape_.steps), "step"),
                                 quantity(std::int64_t(shape_.columns), "column"),
                                 vocabulary_.kinds.size()));
  for (std::size_t kind = 0; kind < places_.size(); ++kind)
    places_[kind] = vocabulary_.place(stepTags()[kind]);
}

void PrimitiveEncoder::append(const Steps& steps, std::vector<float>& rows,
                              PrimitiveCounts& counts) const {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (isUndecided(steps[i]))
      throw IllegalSchedule(
          fmt::format("a sketch is no program: step {} leaves a tile size open", i),
          static_cast<int>(i));
  const std::size_t seen = std::min(steps.size(), shape_.steps);
  const std::size_t before = rows.size();
  rows.resize(before + seen * shape_.columns);
  ++counts.programs;
  counts.longPrograms += seen < steps.size() ? 1 : 0;
  counts.steps += seen;
  for (std::size_t i = 0; i < seen; ++i) {
    float* const row = rows.data() + before + i * shape_.columns;
    const std::optional<std::size_t> place = places_[steps[i].index()];
    if (place)
      row[*place] = 1;
    else
      ++counts.unknown[tag(steps[i])];
    StepRow writer(row, vocabulary_.kinds.size(), shape_.columns);
    const auto put = Overloaded{
        [&](std::int64_t number) { writer.number(number); },
        [&](const std::vector<int>& numbers) {
          for (const int number : numbers)
            writer.number(number);
        },
        [&](const std::vector<TileSize>& sizes) {
          for (const TileSize& size : sizes)
            writer.number(*size);
        },
        [&](const std::string& text) {
          const int token = place ? vocabulary_.token(*place, text) : 0;
          if (place && token == 0) ++counts.unknown[fmt::format("{} {}", tag(steps[i]), text)];
          writer.number(token);
        },
    };
    withItems(steps[i], [&](const char*, const auto&... items) { (put(items), ...); });
    counts.wideSteps += writer.width() > shape_.columns ? 1 : 0;
  }
}

std::vector<std::string> primitiveColumnNames(const PrimitiveVocabulary& vocabulary,
                                              const PrimitiveShape& shape) {
  std::vector<std::string> names;
  for (const PrimitiveKind& kind : vocabulary.kinds)
    names.push_back(fmt::format("kind: {}", kind.tag));
  for (std::size_t argument = 1; names.size() < shape.columns; ++argument)
    names.push_back(fmt::format("argument {}", argument));
  return names;
}

std::vector<std::string> primitiveColumnMeanings(const PrimitiveVocabulary& vocabulary,
                                                 const PrimitiveShape& shape) {
  std::vector<std::string> meanings;
  for (const PrimitiveKind& kind : vocabulary.kinds)
    meanings.push_back(fmt::format("1 where the step is of kind {}", kind.tag));
  while (meanings.size() < shape.columns)
    meanings.emplace_back("what stands there in the step's record; a text as its number");
  return meanings;
}

} // namespace nestwright
