#include "ui/program/launch/kernel_facts.h"

#include "core/space/kernel_demand.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/program/program_text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// An estimate is told from a figure of the compiler by its sign.
QString figure(const KernelFacts& kernel, const QString& text) {
  return kernel.isCompiled ? text : QStringLiteral("≈ %1").arg(text);
}

QString limitedBy(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::Threads:
    return KernelModel::tr("threads");
  case OccupancyLimit::Blocks:
    return KernelModel::tr("blocks");
  case OccupancyLimit::Registers:
    return KernelModel::tr("registers");
  case OccupancyLimit::SharedMemory:
    return KernelModel::tr("shared memory");
  }
  return {};
}

/// What keeps another block out, and what that means.
QString limitTip(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::Threads:
    return KernelModel::tr("A multiprocessor holds no more threads: its occupancy is as high as it "
                           "can be with blocks of this size.");
  case OccupancyLimit::Blocks:
    return KernelModel::tr("A multiprocessor holds no more blocks, however small they are: larger "
                           "blocks would fill it better.");
  case OccupancyLimit::Registers:
    return KernelModel::tr("The registers of a multiprocessor are given out: smaller tiles of a "
                           "thread would let another block in.");
  case OccupancyLimit::SharedMemory:
    return KernelModel::tr("The shared memory of a multiprocessor is given out: smaller tiles of a "
                           "block would let another block in.");
  }
  return {};
}

} // namespace

double KernelFacts::waves() const {
  return wavesOf(blocks(), occupancy, multiprocessors);
}

void addLimits(KernelFacts& kernel, const GpuFacts& gpu) {
  kernel.registerLimit = registerLimit(kernel.threadsPerBlock(), gpu);
  kernel.multiprocessors = gpu.multiprocessors;
  kernel.warpThreads = std::max(1, gpu.warpThreads);
  // What is more than usual was asked for.
  kernel.sharedLimit = kernel.sharedBytes > gpu.sharedBytesPerBlock ? gpu.sharedBytesPerBlockOptIn
                                                                    : gpu.sharedBytesPerBlock;
}

QString unitsText(std::int64_t count, const QString& one, const QString& many) {
  return QStringLiteral("%1 %2").arg(countText(count), count == 1 ? one : many);
}

KernelFacts factsOf(const KernelPicture& kernel, const GpuFacts& gpu) {
  const KernelDemand& demand = kernel.demand;
  KernelFacts facts;
  facts.name = qs(kernel.name);
  facts.grid = demand.grid, facts.threads = demand.threads;
  facts.virtualThreads = demand.virtualThreads;
  facts.sharedBytes = demand.sharedBytes;
  facts.registers = static_cast<int>(std::lround(std::min(demand.registers(), 9999.0)));
  facts.occupancy = kernel.occupancy;
  addLimits(facts, gpu);
  return facts;
}

KernelFacts factsOf(const KernelLaunch& launch, const QString& name, const GpuFacts& gpu) {
  KernelFacts facts;
  facts.name = name;
  facts.grid = launch.grid, facts.threads = launch.block;
  facts.sharedBytes = launch.resources.staticSharedBytes + launch.dynamicSharedBytes;
  facts.registers = launch.resources.registers;
  facts.spillBytes = launch.resources.spillStoreBytes + launch.resources.spillLoadBytes;
  facts.stackBytes = launch.resources.stackBytes;
  facts.occupancy = launch.resources.occupancy;
  facts.isCompiled = true;
  addLimits(facts, gpu);
  return facts;
}

KernelFacts withMeasured(KernelFacts facts, const MeasuredKernel& kernel) {
  facts.sharedBytes = kernel.sharedBytes;
  facts.registers = kernel.registers;
  facts.spillBytes = kernel.spillBytes;
  facts.stackBytes = kernel.stackBytes;
  facts.occupancy = kernel.occupancy;
  facts.isCompiled = true;
  return facts;
}

QString extentsText(const std::array<std::int64_t, 3>& extents) {
  std::size_t count = 3;
  while (count > 1 && extents[count - 1] == 1)
    --count;
  QStringList texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.append(countText(extents[i]));
  return texts.join(QStringLiteral(" × "));
}

QString inWords(const KernelFacts& kernel) {
  QString text =
      KernelModel::tr("%1 runs as %2 of %3 (%4).")
          .arg(kernel.name,
               unitsText(kernel.blocks(), KernelModel::tr("block"), KernelModel::tr("blocks")),
               unitsText(kernel.threadsPerBlock(), KernelModel::tr("thread"),
                         KernelModel::tr("threads")),
               unitsText(kernel.warps(), KernelModel::tr("warp"), KernelModel::tr("warps")));
  if (kernel.virtualThreads > 1)
    text += KernelModel::tr(" Each thread does the work of %1 virtual ones.")
                .arg(countText(kernel.virtualThreads));
  text += kernel.isCompiled
              ? KernelModel::tr(" A block has %1 of shared memory, a thread %2 registers")
                    .arg(bytesText(static_cast<double>(kernel.sharedBytes)))
                    .arg(kernel.registers)
              : KernelModel::tr(" A block takes %1 of shared memory, a thread about %2 registers "
                                "(estimated)")
                    .arg(bytesText(static_cast<double>(kernel.sharedBytes)))
                    .arg(kernel.registers);
  if (kernel.isCompiled)
    text += kernel.spillBytes > 0 ? KernelModel::tr(", of which %1 are spilled to memory: it will "
                                                    "not be fast")
                                        .arg(bytesText(static_cast<double>(kernel.spillBytes)))
                                  : KernelModel::tr(" and spills none");
  if (kernel.occupancy.blocks == 0)
    return text + KernelModel::tr(". A multiprocessor cannot hold even one such block.");
  text += KernelModel::tr(". A multiprocessor holds %1 at a time, %2 of %3 warps, limited by %4.")
              .arg(unitsText(kernel.occupancy.blocks, KernelModel::tr("block"),
                             KernelModel::tr("blocks")))
              .arg(kernel.occupancy.warps)
              .arg(kernel.occupancy.mostWarps)
              .arg(limitedBy(kernel.occupancy.limit));
  if (kernel.waves() > 0)
    text += kernel.waves() < 1
                ? KernelModel::tr(" On %1 multiprocessors its blocks fill %2 of the GPU.")
                      .arg(kernel.multiprocessors)
                      .arg(percentText(kernel.waves()))
                : KernelModel::tr(" On %1 multiprocessors its blocks make %2 waves.")
                      .arg(kernel.multiprocessors)
                      .arg(kernel.waves(), 0, 'f', 1);
  return text;
}

KernelModel::KernelModel(QObject* parent) : TableModel(parent) {
  using Row = KernelFacts;
  const auto bytes = [](std::int64_t value) { return bytesText(static_cast<double>(value)); };
  setColumns(
      {{.title = tr("Kernel"),
        .tip = tr("The stage that the kernel computes, with all that is computed inside of it. "
                  "Kernels run one after another."),
        .text = [](const Row& row) { return row.name; }},
       {.title = tr("Grid"),
        .tip = tr("Blocks along x, y and z. Blocks run in any order, as many at a time as fit."),
        .text = [](const Row& row) { return extentsText(row.grid); },
        .align = kRight},
       {.title = tr("Block"),
        .tip = tr("Threads of a block along x, y and z. They share memory and can wait for one "
                  "another; 32 of them are a warp."),
        .text = [](const Row& row) { return extentsText(row.threads); },
        .align = kRight},
       {.title = tr("Shared"),
        .tip = tr("Shared memory of a block: the tiles that its threads fetch together."),
        .text = [bytes](const Row& row) { return bytes(row.sharedBytes); },
        .align = kRight,
        .bare = [](const Row& row) { return QVariant(qlonglong(row.sharedBytes)); },
        .bareTitle = tr("Shared (bytes)"),
        .toolTip =
            [bytes](const Row& row) {
              return tr("%1 of the %2 that such a block may have.")
                  .arg(bytes(row.sharedBytes), bytes(row.sharedLimit));
            },
        .fraction =
            [](const Row& row) {
              return row.sharedLimit > 0 ? QVariant(std::min(1.0, double(row.sharedBytes) /
                                                                      double(row.sharedLimit)))
                                         : QVariant();
            }},
       {.title = tr("Registers"),
        .tip = tr("Registers of a thread: ≈ as estimated from its tiles, else as the compiler "
                  "says. Fewer let more blocks in."),
        .text = [](const Row& row) { return figure(row, QString::number(row.registers)); },
        .align = kRight,
        .bare = [](const Row& row) { return QVariant(row.registers); },
        .toolTip =
            [](const Row& row) {
              return tr("A thread of such a block can have %1 at most.").arg(row.registerLimit);
            },
        .fraction =
            [](const Row& row) {
              return QVariant(
                  std::min(1.0, double(row.registers) / std::max(1, row.registerLimit)));
            }},
       {.title = tr("Spills"),
        .tip = tr("Bytes that a thread moves out of its registers to memory and back, as the "
                  "compiler says. None is best; a program that does is never fast."),
        .text =
            [bytes](const Row& row) {
              if (!row.isCompiled) return noValue();
              return row.spillBytes > 0 ? bytes(row.spillBytes) : tr("none");
            },
        .align = kRight,
        .bare =
            [](const Row& row) {
              return row.isCompiled ? QVariant(qlonglong(row.spillBytes)) : QVariant();
            },
        .bareTitle = tr("Spills (bytes)"),
        .toolTip =
            [bytes](const Row& row) {
              return row.stackBytes > 0
                         ? tr("A thread has %1 in memory of its own, with what it spills.")
                               .arg(bytes(row.stackBytes))
                         : QString();
            },
        .colour =
            [](const Row& row) {
              return row.spillBytes > 0 ? QVariant(colours().failed) : QVariant();
            }},
       {.title = tr("Occupancy"),
        .tip = tr("Warps that a multiprocessor holds at a time, of those that it could: more can "
                  "hide more waiting, but each has fewer registers."),
        .text =
            [](const Row& row) {
              return figure(
                  row,
                  QStringLiteral("%1 of %2").arg(row.occupancy.warps).arg(row.occupancy.mostWarps));
            },
        .align = kRight,
        .bare = [](const Row& row) { return QVariant(row.occupancy.share()); },
        .bareTitle = tr("Occupancy (share)"),
        .fraction = [](const Row& row) { return QVariant(row.occupancy.share()); }},
       {.title = tr("Limited by"),
        .tip = tr("What keeps another block out of a multiprocessor."),
        .text = [](const Row& row) { return limitedBy(row.occupancy.limit); },
        .toolTip = [](const Row& row) { return limitTip(row.occupancy.limit); }}});
}

} // namespace nestwright::ui

#include "moc_kernel_facts.cpp"
