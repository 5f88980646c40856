#include "core/record/format/evolution_codec.h"

#include "core/record/format/bytes.h"
#include "core/record/format/step_codec.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

constexpr std::uint64_t kFormat = 1;

/// Texts that come back again and again are written once and named by their number.
class TextWriter {
 public:
  std::uint64_t number(const std::string& text) {
    const auto [place, isNew] = numbers_.try_emplace(text, numbers_.size());
    if (isNew) texts_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

void writeProgram(ByteWriter& out, TextWriter& texts, const EvolvedProgram& program) {
  const EncodedSteps steps = encodeSteps(program.steps);
  out.natural(texts.number(program.program));
  out.natural(texts.number(steps.shape));
  out.text(steps.values);
  out.real(program.score);
  out.natural(texts.number(program.operation));
  out.natural(program.parents.size());
  for (const std::string& parent : program.parents)
    out.natural(texts.number(parent));
  out.integer(program.sketch);
  out.natural(static_cast<std::uint64_t>(program.born));
  out.natural(program.selected ? 1 : 0);
}

void writeGeneration(ByteWriter& out, TextWriter& texts, const EvolvedGeneration& generation) {
  out.natural(static_cast<std::uint64_t>(generation.size));
  out.natural(static_cast<std::uint64_t>(generation.distinct));
  out.natural(generation.quantiles.size());
  for (const float score : generation.quantiles)
    out.real(score);
  out.natural(generation.operations.size());
  for (const auto& [operation, count] : generation.operations) {
    out.natural(texts.number(operation));
    out.natural(static_cast<std::uint64_t>(count));
  }
  out.natural(generation.places.size());
  for (const EvolvedPlace& place : generation.places) {
    out.natural(static_cast<std::uint64_t>(place.program));
    out.natural(static_cast<std::uint64_t>(place.rank));
  }
}

[[noreturn]] void damaged() {
  throw InputError("the stored generations of a round are damaged");
}

const std::string& textAt(const std::vector<std::string>& texts, std::uint64_t number) {
  if (number >= texts.size()) damaged();
  return texts[number];
}

EvolvedProgram readProgram(ByteReader& in, const std::vector<std::string>& texts) {
  EvolvedProgram program;
  program.program = textAt(texts, in.natural());
  const std::string& shape = textAt(texts, in.natural());
  program.steps = decodeSteps(shape, in.text());
  program.score = in.real();
  program.operation = textAt(texts, in.natural());
  for (std::size_t left = in.count(); left > 0; --left)
    program.parents.push_back(textAt(texts, in.natural()));
  program.sketch = static_cast<int>(in.integer());
  program.born = static_cast<int>(in.natural());
  program.selected = in.natural() != 0;
  return program;
}

EvolvedGeneration readGeneration(ByteReader& in, const std::vector<std::string>& texts,
                                 std::size_t programs) {
  EvolvedGeneration generation;
  generation.size = static_cast<int>(in.natural());
  generation.distinct = static_cast<int>(in.natural());
  for (std::size_t left = in.count(); left > 0; --left)
    generation.quantiles.push_back(static_cast<float>(in.real()));
  for (std::size_t left = in.count(); left > 0; --left) {
    const std::string& operation = textAt(texts, in.natural());
    generation.operations[operation] = static_cast<int>(in.natural());
  }
  for (std::size_t left = in.count(); left > 0; --left) {
    const std::uint64_t program = in.natural(), rank = in.natural();
    if (program >= programs) damaged();
    generation.places.push_back({static_cast<int>(program), static_cast<int>(rank)});
  }
  return generation;
}

} // namespace

std::string encodeEvolution(const EvolutionRow& row) {
  TextWriter texts;
  ByteWriter body;
  body.natural(row.programs.size());
  for (const EvolvedProgram& program : row.programs)
    writeProgram(body, texts, program);
  body.natural(row.generations.size());
  for (const EvolvedGeneration& generation : row.generations)
    writeGeneration(body, texts, generation);
  ByteWriter out;
  out.natural(kFormat);
  out.natural(texts.texts().size());
  for (const std::string& text : texts.texts())
    out.text(text);
  return out.bytes() + body.bytes();
}

EvolutionRow decodeEvolution(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.natural() != kFormat)
    throw InputError("the stored generations of a round are of a newer version of Nestwright");
  std::vector<std::string> texts;
  for (std::size_t left = in.count(); left > 0; --left)
    texts.push_back(in.text());
  EvolutionRow row;
  for (std::size_t left = in.count(); left > 0; --left)
    row.programs.push_back(readProgram(in, texts));
  for (std::size_t left = in.count(); left > 0; --left)
    row.generations.push_back(readGeneration(in, texts, row.programs.size()));
  if (!in.atEnd()) damaged();
  return row;
}

} // namespace nestwright
