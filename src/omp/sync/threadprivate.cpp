// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/threadprivate.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "fiber/fiber.hpp"

namespace gossamer::omp {

namespace {

struct Variable {
    void* original;
    std::size_t size;
    ThreadprivateObject object;
    void* image;  // what the original held at the first call of threadprivate; copies begin with this
    std::atomic<ThreadprivateCopies*> copies;
    Variable* next;
};

constexpr unsigned bucket_bits = 8;
constexpr std::size_t first_capacity = 4096;

constinit SpinLock lock;  // covers the buckets' lists, the arrays, and each variable's image
constinit std::atomic<Variable*> buckets[std::size_t{1} << bucket_bits];

void pause() { os::yield_native(); }

std::atomic<Variable*>& bucket_of(const void* original) {
    return buckets[mix64(reinterpret_cast<std::uintptr_t>(original)) >> (64 - bucket_bits)];
}

// Lists only grow, at the front.
Variable* find(const void* original) {
    for (Variable* at = bucket_of(original).load(std::memory_order_acquire); at != nullptr; at = at->next) {
        if (at->original == original) return at;  // acquire pairs with add's release
    }
    return nullptr;
}

void* allocate(std::size_t size) {
    void* const memory = std::calloc(1, size);
    if (memory == nullptr) fatal("out of memory for threadprivate variables");
    return memory;
}

Variable& add(void* original, std::size_t size, const ThreadprivateObject& object) {
    SpinGuard guard(lock, pause);
    if (Variable* const variable = find(original)) return *variable;
    auto* const variable = ::new (allocate(sizeof(Variable))) Variable{original, size, object, nullptr, {nullptr}, nullptr};
    std::atomic<Variable*>& bucket = bucket_of(original);
    variable->next = bucket.load(std::memory_order_relaxed);
    bucket.store(variable, std::memory_order_release);  // pairs with find
    return *variable;
}

// An array with room for `id`.
ThreadprivateCopies& copies_for(Variable& variable, std::uint32_t id) {
    ThreadprivateCopies* copies = variable.copies.load(std::memory_order_acquire);
    if (copies != nullptr && id < copies->capacity) return *copies;  // acquire pairs with the release below
    SpinGuard guard(lock, pause);
    copies = variable.copies.load(std::memory_order_relaxed);
    if (copies != nullptr && id < copies->capacity) return *copies;
    std::size_t capacity = copies != nullptr ? copies->capacity : first_capacity;
    while (capacity <= id) capacity *= 2;
    os::Mapping pages;  // committed as the ids come
    if (os::map_pages(sizeof(ThreadprivateCopies) + capacity * sizeof(void*), pages) != 0) {
        fatal("out of memory for threadprivate variables");
    }
    auto* const grown = static_cast<ThreadprivateCopies*>(pages.base);
    grown->capacity = capacity;
    grown->older = copies;
    if (copies != nullptr) std::memcpy(grown->copy, copies->copy, copies->capacity * sizeof(void*));
    variable.copies.store(grown, std::memory_order_release);
    return *grown;
}

// Under the lock. Writes to every array, since caches in compiled code may refer to an older one.
void set_copy(Variable& variable, std::uint32_t id, void* copy) {
    for (auto* at = variable.copies.load(std::memory_order_relaxed); at != nullptr; at = at->older) {
        if (id < at->capacity) at->copy[id] = copy;
    }
}

void prepare_image(Variable& variable, std::size_t size) {
    SpinGuard guard(lock, pause);
    if (variable.image != nullptr) return;
    void* const image = allocate(size);
    std::memcpy(image, variable.original, size);
    variable.size = size;
    variable.image = image;
}

void* make_copy(Variable& variable) {
    const ThreadprivateObject& object = variable.object;
    void* const copy = allocate(variable.size);
    if (object.make != nullptr) {
        if (object.elements != 0) {
            reinterpret_cast<void* (*)(void*, std::size_t)>(object.make)(copy, object.elements);
        } else {
            reinterpret_cast<void* (*)(void*)>(object.make)(copy);
        }
    } else if (object.copy != nullptr) {
        if (object.elements != 0) {
            reinterpret_cast<void* (*)(void*, void*, std::size_t)>(object.copy)(copy, variable.original, object.elements);
        } else {
            reinterpret_cast<void* (*)(void*, void*)>(object.copy)(copy, variable.original);
        }
    } else {
        std::memcpy(copy, variable.image, variable.size);
    }
    return copy;
}

void destroy_copy(Variable& variable, void* copy) {
    const ThreadprivateObject& object = variable.object;
    if (object.destroy != nullptr) {
        if (object.elements != 0) {
            reinterpret_cast<void (*)(void*, std::size_t)>(object.destroy)(copy, object.elements);
        } else {
            reinterpret_cast<void (*)(void*)>(object.destroy)(copy);
        }
    }
    std::free(copy);
}

bool on_initial_thread(const fiber::Fiber& fiber) { return fiber.kind == fiber::Kind::native && os::is_initial_thread(); }

}  // namespace

void* threadprivate(void* original, std::size_t size, void*** cache) {
    const fiber::Fiber& fiber = *fiber::self();
    const std::uint32_t id = fiber.id;
    if (cache != nullptr) {
        // acquire pairs with the store below
        if (void** const first = std::atomic_ref(*cache).load(std::memory_order_acquire)) {
            const char* const array = reinterpret_cast<const char*>(first) - offsetof(ThreadprivateCopies, copy);
            const auto& known = *reinterpret_cast<const ThreadprivateCopies*>(array);
            if (GOSSAMER_LIKELY(id < known.capacity && known.copy[id] != nullptr)) return known.copy[id];
        }
    }
    Variable* variable = find(original);
    if (variable == nullptr) variable = &add(original, size, {});
    prepare_image(*variable, size);
    void* copy = copies_for(*variable, id).copy[id];
    if (copy == nullptr) copy = on_initial_thread(fiber) ? original : make_copy(*variable);
    SpinGuard guard(lock, pause);
    set_copy(*variable, id, copy);
    if (cache != nullptr) {
        // release pairs with the acquire above, in another thread
        std::atomic_ref(*cache).store(variable->copies.load(std::memory_order_relaxed)->copy, std::memory_order_release);
    }
    return copy;
}

void threadprivate_register(void* original, const ThreadprivateObject& object) {
    Variable& variable = add(original, 0, object);
    SpinGuard guard(lock, pause);
    if (variable.image == nullptr) variable.object = object;
}

void threadprivate_forget(std::uint32_t id) {
    for (std::atomic<Variable*>& bucket : buckets) {
        for (Variable* at = bucket.load(std::memory_order_acquire); at != nullptr; at = at->next) {
            void* copy = nullptr;
            {
                SpinGuard guard(lock, pause);
                ThreadprivateCopies* const copies = at->copies.load(std::memory_order_relaxed);
                if (copies == nullptr || id >= copies->capacity) continue;
                copy = copies->copy[id];
                set_copy(*at, id, nullptr);
            }
            if (copy != nullptr && copy != at->original) destroy_copy(*at, copy);
        }
    }
}

void threadprivate_forget_lock() { lock.unlock(); }

}  // namespace gossamer::omp
