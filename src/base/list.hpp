// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists whose links live in the elements: no allocation, no ownership, no lock. An element is in at most one
// list per link. The caller provides mutual exclusion.
#pragma once

#include <cstddef>

namespace gossamer {

// Last in, first out, through one pointer: IntrusiveStack<Node, &Node::next>.
template <class T, T* T::* next>
class IntrusiveStack {
public:
    constexpr IntrusiveStack() = default;
    IntrusiveStack(const IntrusiveStack&) = delete;
    IntrusiveStack& operator=(const IntrusiveStack&) = delete;

    bool empty() const { return top_ == nullptr; }
    T* top() const { return top_; }

    void push(T* element) {
        element->*next = top_;
        top_ = element;
    }

    // nullptr when empty.
    T* pop() {
        T* element = top_;
        if (element != nullptr) {
            top_ = element->*next;
            element->*next = nullptr;
        }
        return element;
    }

    // Takes the whole chain, linked through next; leaves the stack empty.
    T* take_all() {
        T* chain = top_;
        top_ = nullptr;
        return chain;
    }

private:
    T* top_ = nullptr;
};

template <class T>
struct ListLink {
    T* next = nullptr;
    T* previous = nullptr;
};

// Both ends and removal from the middle: IntrusiveList<Node, &Node::link>. Walked by range-for; the element
// under the iterator may be removed only after the iterator has moved on.
template <class T, ListLink<T> T::* link>
class IntrusiveList {
public:
    class Iterator {
    public:
        explicit Iterator(T* at) : at_(at) {}
        T& operator*() const { return *at_; }
        T* operator->() const { return at_; }
        Iterator& operator++() {
            at_ = (at_->*link).next;
            return *this;
        }
        bool operator==(const Iterator&) const = default;

    private:
        T* at_;
    };

    constexpr IntrusiveList() = default;
    IntrusiveList(const IntrusiveList&) = delete;
    IntrusiveList& operator=(const IntrusiveList&) = delete;

    bool empty() const { return first_ == nullptr; }
    T* front() const { return first_; }
    T* back() const { return last_; }
    Iterator begin() const { return Iterator(first_); }
    Iterator end() const { return Iterator(nullptr); }

    static T* next_of(const T* element) { return (element->*link).next; }
    static T* previous_of(const T* element) { return (element->*link).previous; }

    void push_front(T* element) { insert_between(element, nullptr, first_); }
    void push_back(T* element) { insert_between(element, last_, nullptr); }
    void insert_before(T* element, T* position) { insert_between(element, previous_of(position), position); }

    // nullptr when empty.
    T* pop_front() {
        T* element = first_;
        if (element != nullptr) remove(element);
        return element;
    }

    T* pop_back() {
        T* element = last_;
        if (element != nullptr) remove(element);
        return element;
    }

    // The element must be in this list.
    void remove(T* element) {
        T* next = next_of(element);
        T* previous = previous_of(element);
        (previous != nullptr ? (previous->*link).next : first_) = next;
        (next != nullptr ? (next->*link).previous : last_) = previous;
        (element->*link).next = nullptr;
        (element->*link).previous = nullptr;
    }

    // Moves all of the other list behind this one, in order.
    void take_back(IntrusiveList& other) {
        if (other.empty()) return;
        if (empty()) {
            first_ = other.first_;
        } else {
            (last_->*link).next = other.first_;
            (other.first_->*link).previous = last_;
        }
        last_ = other.last_;
        other.first_ = nullptr;
        other.last_ = nullptr;
    }

private:
    void insert_between(T* element, T* previous, T* next) {
        (element->*link).next = next;
        (element->*link).previous = previous;
        (previous != nullptr ? (previous->*link).next : first_) = element;
        (next != nullptr ? (next->*link).previous : last_) = element;
    }

    T* first_ = nullptr;
    T* last_ = nullptr;
};

}  // namespace gossamer
