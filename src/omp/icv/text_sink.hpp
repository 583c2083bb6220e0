// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes text into the caller's buffer, and goes on counting when that is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gossamer::omp {

class TextSink {
public:
    // Keeps at most size bytes, the terminating zero of finish() among them; buffer may be null if size is 0.
    TextSink(char* buffer, std::size_t size) : buffer_(buffer), size_(size) {}

    // Bytes of the whole text without the zero, whether they fitted or not.
    std::size_t length() const { return length_; }
    std::string_view text() const { return {buffer_, length_ < size_ ? length_ : size_}; }

    // Ends what fitted with a zero and returns length().
    std::size_t finish() {
        if (size_ > 0) buffer_[length_ < size_ ? length_ : size_ - 1] = '\0';
        return length_;
    }

    TextSink& operator<<(char letter) {
        if (length_ < size_) buffer_[length_] = letter;
        ++length_;
        return *this;
    }

    TextSink& operator<<(std::string_view text) {
        for (char letter : text) *this << letter;
        return *this;
    }

    TextSink& operator<<(const char* text) { return *this << std::string_view(text); }

    TextSink& operator<<(std::uint64_t number) {
        char digits[20];
        std::size_t count = 0;
        do {
            digits[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        while (count > 0) *this << digits[--count];
        return *this;
    }
    TextSink& operator<<(std::uint32_t number) { return *this << std::uint64_t{number}; }
    TextSink& operator<<(std::int64_t number) {
        if (number >= 0) return *this << static_cast<std::uint64_t>(number);
        return *this << '-' << (std::uint64_t{0} - static_cast<std::uint64_t>(number));
    }
    TextSink& operator<<(std::int32_t number) { return *this << std::int64_t{number}; }

private:
    char* buffer_;
    std::size_t size_;
    std::size_t length_ = 0;
};

// A sink with a buffer of its own.
template <std::size_t size>
class TextBuffer : public TextSink {
public:
    TextBuffer() : TextSink(room_, size) {}
    TextBuffer(const TextBuffer&) = delete;
    TextBuffer& operator=(const TextBuffer&) = delete;

private:
    char room_[size];
};

}  // namespace gossamer::omp
