#include "ui/inspector/rule_words.h"

#include "ui/kit/text.h"

#include <map>

namespace nestwright::ui {

QString ruleMeaning(const std::string& rule) {
  static const std::map<std::string, const char*> kMeanings{
      {"Add Cache Read",
       QT_TRANSLATE_NOOP("RuleWords",
                         "For a GPU. What a block reads again and again, its threads fetch into "
                         "shared memory together, one tile at a time: each element comes from "
                         "memory once for the whole block, and neighbouring threads read "
                         "neighbours.")},
      {"Special Compute Location",
       QT_TRANSLATE_NOOP("RuleWords",
                         "For a GPU. The consumer multiplies with a small constant tensor in loops "
                         "that are unrolled. What it reads is computed right outside of these "
                         "loops, into registers, so that it is not computed again for each of "
                         "their iterations.")},
      {"Cross-Thread Reduction",
       QT_TRANSLATE_NOOP("RuleWords",
                         "For a GPU. Few results of a long reduction would leave most threads "
                         "without work. The threads of a block share the reduction, and combine "
                         "what each has by shuffles and through shared memory; where its consumer "
                         "has the same outer loops, inside the consumer's kernel.")},
      {"Always Inline",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A stage that costs next to nothing is computed where it is read, so that "
                         "nothing of it is stored. On a GPU that is every stage that does not "
                         "reduce.")},
      {"Simplify Compute with Constant Tensor",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A product with a small constant tensor, as in Winograd's transforms: the "
                         "loops over the tensor are unrolled, so that its zeros and ones vanish "
                         "from the code; what remains is tiled in two levels.")},
      {"Add Cache Stage",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A stage with reuse whose result is needed by nobody else first computes "
                         "into a tile of its own, which is then written once: into registers of a "
                         "thread on a GPU, into a local buffer on a processor.")},
      {"Multi-Level Tiling with Fusion",
       QT_TRANSLATE_NOOP("RuleWords",
                         "The loops of a stage with reuse are cut into levels of tiles, and its "
                         "consumer takes each tile as soon as it is there. On a GPU the consumer "
                         "follows three levels: blocks, virtual threads and threads.")},
      {"Multi-Level Tiling",
       QT_TRANSLATE_NOOP(
           "RuleWords", "The loops of a stage with reuse are cut into levels of tiles, so that "
                        "what one tile needs stays near. On a GPU the levels are SSSRRSRS: blocks, "
                        "virtual threads, threads, fetches along the reduction, and the tile that "
                        "a thread keeps in registers.")},
      {"Reduction Factorization",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A long reduction with few results is cut into parts that are computed in "
                         "parallel, and summed in the end.")},
      {"Tensor Cores",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A rule of ours for GPUs: a warp multiplies tiles of two tensors with one "
                         "instruction, many times as fast as its threads one by one. It holds for "
                         "products in 16 bits, or in TF32 where that is allowed, whose axes are "
                         "whole numbers of such tiles.")},
      {"Split Reduction",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A rule of ours for GPUs: a product with a long reduction and too few "
                         "results to fill the device is cut into 2 to 16 parts along the "
                         "reduction, which blocks share out; a second kernel adds them up.")},
      {"Winograd",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A rule of ours for processors: each of Winograd's transforms works on a "
                         "tile and a vector of channels at a time, so that what lies between its "
                         "two halves stays in registers.")},
      {"Packed Panel",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A rule of ours for processors: an operand is copied into panels in the "
                         "order in which the innermost loops read it.")},
      {"Inline Padding",
       QT_TRANSLATE_NOOP("RuleWords",
                         "A rule of ours for processors: padding that changes nothing in a sum or "
                         "a maximum is not stored. The lowering leaves out the terms that would "
                         "read it.")},
      {"Skip", QT_TRANSLATE_NOOP(
                   "RuleWords", "No rule before it applies: the stage stays as it is, and the next "
                                "one is looked at.")}};
  const auto found = kMeanings.find(rule);
  return found == kMeanings.end() ? QString() : tr(found->second);
}

} // namespace nestwright::ui
