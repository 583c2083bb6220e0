// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/memory.hpp"

#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/base.hpp"
#include "os/failures.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define GOSSAMER_TELLS_VALGRIND 1
#else
#define GOSSAMER_TELLS_VALGRIND 0
#endif

namespace gossamer::os {

namespace {

constexpr std::size_t least_guard = 64 * 1024;
constexpr std::size_t least_signal_reserve = 16 * 1024;
constexpr std::size_t handler_allowance = 8 * 1024;

#ifdef AT_MINSIGSTKSZ
constexpr unsigned long signal_frame_entry = AT_MINSIGSTKSZ;
#else
constexpr unsigned long signal_frame_entry = 51;
#endif

bool too_large(std::size_t size) { return size > SIZE_MAX / 2; }

// What a new stack must leave of the address space, and of the memory that the process may write to, to the rest of the
// program, ours included.
std::size_t room_for_others() {
    constexpr std::size_t room = 16 << 20;
    constexpr auto is_limited = [](auto resource) {
        rlimit limit{};
        return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    };
    return is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA) ? room : 0;
}

}  // namespace

std::size_t page_size() {
    static constinit std::atomic<std::size_t> cached{0};
    // relaxed: every thread would store the same value.
    std::size_t size = cached.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(size == 0)) {
        size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        cached.store(size, std::memory_order_relaxed);
    }
    return size;
}

std::size_t guard_size() { return align_up(least_guard, page_size()); }

std::size_t signal_reserve() {
    int saved_errno = errno;  // an entry that an older kernel lacks is ENOENT
    std::size_t frame = ::getauxval(signal_frame_entry);
    errno = saved_errno;
    std::size_t reserve = frame + handler_allowance;
    return align_up(reserve > least_signal_reserve ? reserve : least_signal_reserve, std::size_t{1024});
}

namespace {

enum class Executed : unsigned char { unknown, no_at_load, no, yes };
constinit std::atomic<Executed> stacks_executed{Executed::unknown};

// Whether the program or a library of it asks for executable stacks: gcc builds the code of a nested function's address there
// (a trampoline). libc's own stacks are executable then, and so must ours be. `again`: a library may have come since.
bool stacks_are_executed(bool again = false) {
    // relaxed, all: two threads that ask at once find the same, or one asks again
    Executed known = stacks_executed.load(std::memory_order_relaxed);
    if (GOSSAMER_LIKELY(known >= Executed::no && !(again && known == Executed::no))) return known == Executed::yes;
    constexpr auto asks = [](dl_phdr_info* object, std::size_t, void*) {
        for (unsigned at = 0; at < object->dlpi_phnum; ++at) {
            const auto& header = object->dlpi_phdr[at];
            if (header.p_type == PT_GNU_STACK && (header.p_flags & PF_X) != 0) return 1;
        }
        return 0;
    };
    // The question takes the loader's lock, which a child would find held if another thread forked meanwhile: so it is asked
    // at the load, when the first stack is mapped, and again only when the answer has proved wrong; and not by a child.
    known = ::dl_iterate_phdr(asks, nullptr) != 0 ? Executed::yes : Executed::no;
    stacks_executed.store(known, std::memory_order_relaxed);
    return known == Executed::yes;
}

[[gnu::constructor]] void ask_at_load() {
    if (!stacks_are_executed()) stacks_executed.store(Executed::no_at_load, std::memory_order_relaxed);
}

// Unmaps pages of ours. The system refuses to cut a mapping in two where the process has too many of them (vm.max_map_count):
// then the pages go, and their addresses stay.
void give_back(void* low, std::size_t size) {
    const int saved_errno = errno;
    if (::munmap(low, size) != 0) {
        GOSSAMER_CHECK(errno != EINVAL, "pages to unmap were no pages that were mapped");
        ::madvise(low, size, MADV_DONTNEED);
    }
    errno = saved_errno;
}

// Opens the pages. 0, or -1 with errno; where the system grants memory but no right to execute it, that is done without.
int open_stack(void* low, std::size_t size) {
    constexpr int plain = PROT_READ | PROT_WRITE;
    if (GOSSAMER_UNLIKELY(stacks_are_executed()) && ::mprotect(low, size, plain | PROT_EXEC) == 0) return 0;
    return ::mprotect(low, size, plain);
}

}  // namespace

void open_own_stack(void* low, std::size_t size) {
    const int saved_errno = errno;
    if (stacks_are_executed()) open_stack(low, size);
    errno = saved_errno;
}

void keep_answer_about_stacks() {
    if (!(stacks_executed.load(std::memory_order_relaxed) >= Executed::no)) {
        stacks_executed.store(Executed::no, std::memory_order_relaxed);
    }
}

bool execute_stack(const Stack& stack) {
    const int saved_errno = errno;
    constexpr int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    const bool done = stacks_are_executed(true) && ::mprotect(stack.low, align_up(stack.size, page_size()), all) == 0;
    errno = saved_errno;
    return done;
}

int map_stack(std::size_t usable, Stack& out) {
    if (usable == 0 || too_large(usable)) return EINVAL;
    if (failure_due(Failure::memory)) return ENOMEM;
    int saved_errno = errno;
    std::size_t guard = guard_size();
    std::size_t size = align_up(usable, page_size());
    std::size_t room = room_for_others();
    void* base =
        ::mmap(nullptr, guard + size + room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) {
        int code = errno;
        errno = saved_errno;
        return code;
    }
    void* low = byte_offset(base, static_cast<std::ptrdiff_t>(guard));
    // With the room, which counts as the program's data only while it may be written to.
    if (open_stack(low, size + room) != 0) {
        int code = errno;
        ::munmap(base, guard + size + room);
        errno = saved_errno;
        return code;
    }
    if (room != 0) ::munmap(byte_offset(low, static_cast<std::ptrdiff_t>(size)), room);
    // One touched byte would otherwise commit a whole huge page of each stack. Refused where the kernel has
    // none.
    ::madvise(low, size, MADV_NOHUGEPAGE);
    errno = saved_errno;
    out = Stack{low, size};
    return 0;
}

void unmap_stack(const Stack& stack) {
    if (stack.low == nullptr) return;
    std::size_t guard = guard_size();
#if defined(__SANITIZE_ADDRESS__)
    // Frames that were left for good are still marked here, and the addresses will be used again.
    __asan_unpoison_memory_region(stack.low, stack.size);
#endif
    give_back(byte_offset(stack.low, -static_cast<std::ptrdiff_t>(guard)), guard + stack.size);
}

int map_pages(std::size_t size, Mapping& out) {
    if (size == 0 || too_large(size)) return EINVAL;
    if (failure_due(Failure::memory)) return ENOMEM;
    int saved_errno = errno;
    size = align_up(size, page_size());
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        int code = errno;
        errno = saved_errno;
        return code;
    }
    out = Mapping{base, size};
    return 0;
}

void unmap_pages(const Mapping& mapping) {
    if (mapping.base == nullptr) return;
    give_back(mapping.base, mapping.size);
}

void forbid(void* low, std::size_t size) {
    void* const first = align_up(low, page_size());
    void* const last = align_down(byte_offset(low, static_cast<std::ptrdiff_t>(size)), page_size());
    if (first >= last) return;
    const int saved_errno = errno;
    ::mprotect(first, static_cast<std::size_t>(static_cast<char*>(last) - static_cast<char*>(first)), PROT_NONE);
    errno = saved_errno;
}

void tell_stack(const void* low, const void* high) {
#if GOSSAMER_TELLS_VALGRIND
    const char* const last = static_cast<const char*>(high) - 1;
    (void)VALGRIND_STACK_REGISTER(low, last);
#else
    (void)low;
    (void)high;
#endif
}

}  // namespace gossamer::os
