#include "plugins/cuda/compile/cubin_info.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace nestwright::cuda {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// A value at an offset, unless it would lie outside.
template <class T>
std::optional<T> read(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

std::string textAt(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return "";
  const auto* begin = reinterpret_cast<const char*>(strings.data()) + offset;
  return {begin, strnlen(begin, strings.size() - offset)};
}

class Elf {
 public:
  explicit Elf(Bytes file)
      : file_(file), header_(read<Elf64_Ehdr>(file, 0).value_or(Elf64_Ehdr{})) {
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) header_ = {};
    names_ = contents(section(header_.e_shstrndx));
  }

  /// Empty when there is none of this name.
  std::optional<Elf64_Shdr> section(std::string_view name) const {
    for (unsigned i = 0; i < header_.e_shnum; ++i)
      if (const Elf64_Shdr s = section(i); textAt(names_, s.sh_name) == name) return s;
    return std::nullopt;
  }
  Bytes contents(const Elf64_Shdr& s) const {
    return s.sh_type == SHT_NOBITS ? Bytes() : part(file_, s.sh_offset, s.sh_size);
  }
  std::string symbol(std::uint32_t number) const {
    const auto table = section(".symtab");
    if (!table) return "";
    const auto entry = read<Elf64_Sym>(contents(*table), std::uint64_t(number) * sizeof(Elf64_Sym));
    return entry ? textAt(contents(section(table->sh_link)), entry->st_name) : "";
  }

 private:
  Elf64_Shdr section(unsigned number) const {
    if (number >= header_.e_shnum) return {};
    return read<Elf64_Shdr>(file_, header_.e_shoff + std::uint64_t(number) * sizeof(Elf64_Shdr))
        .value_or(Elf64_Shdr{});
  }

  Bytes file_;
  Elf64_Ehdr header_;
  Bytes names_;
};

// Entries of .nv.info: a form, an attribute, and a value whose place the form says.
constexpr std::uint8_t kSizedForm = 4;
constexpr std::uint8_t kFrameSize = 0x11, kRegisterCount = 0x2f;
constexpr std::uint64_t kReservedBytes = 1024; // of a block's shared memory

} // namespace

std::map<std::string, CubinKernel> kernelsInCubin(Bytes cubin) {
  const Elf elf(cubin);
  std::map<std::string, CubinKernel> kernels;
  const auto section = elf.section(".nv.info");
  if (!section) return kernels;
  const Bytes info = elf.contents(*section);
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const std::uint8_t form = info[at], attribute = info[at + 1];
    const std::uint64_t size = form == kSizedForm ? *read<std::uint16_t>(info, at + 2) : 0;
    const auto symbol = read<std::uint32_t>(info, at + 4),
               value = read<std::uint32_t>(info, at + 8);
    if (size >= 8 && symbol && value) {
      if (attribute == kRegisterCount)
        kernels[elf.symbol(*symbol)].registers = static_cast<int>(*value);
      if (attribute == kFrameSize) kernels[elf.symbol(*symbol)].stackBytes = *value;
    }
    at += 4 + size;
  }
  // Where the system keeps a part of shared memory, from sm_90 on, it comes first in the section.
  const std::uint64_t reserved = elf.section(".nv.shared.reserved.0") ? kReservedBytes : 0;
  for (auto& [name, kernel] : kernels)
    if (const auto shared = elf.section(".nv.shared." + name); shared && shared->sh_size > reserved)
      kernel.staticSharedBytes = static_cast<std::int64_t>(shared->sh_size - reserved);
  return kernels;
}

} // namespace nestwright::cuda
