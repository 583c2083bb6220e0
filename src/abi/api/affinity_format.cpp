// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The display of affinity (OpenMP 5.2 §18.3.8-11). Fortran passes the lengths of its strings behind the arguments, and expects
// results to be padded with blanks.
#include <cstring>

#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::current;
using gossamer::omp::TextSink;

namespace {

std::string_view text_or_nothing(const char* text) { return text == nullptr ? std::string_view() : text; }

// Pads the text in the buffer with blanks. Returns the length of the whole text,
// whether it fitted or not, as the routines below do.
std::int32_t fill_with_blanks(const TextSink& sink, char* buffer, std::size_t size) {
    if (sink.length() < size) std::memset(buffer + sink.length(), ' ', size - sink.length());
    return gossamer::abi::to_int(static_cast<std::int64_t>(sink.length()));
}

}  // namespace

GOSSAMER_EXPORT void omp_set_affinity_format(const char* format) {
    gossamer::omp::set_affinity_format(text_or_nothing(format));
}
GOSSAMER_EXPORT void omp_set_affinity_format_(const char* format, std::size_t length) {
    gossamer::omp::set_affinity_format({format, length});
}
GOSSAMER_ALIAS(ompc_set_affinity_format, omp_set_affinity_format)

GOSSAMER_EXPORT std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
    TextSink sink(buffer, buffer == nullptr ? 0 : size);
    gossamer::omp::get_affinity_format(sink);
    return sink.finish();
}
GOSSAMER_EXPORT std::int32_t omp_get_affinity_format_(char* buffer, std::size_t size) {
    TextSink sink(buffer, size);
    gossamer::omp::get_affinity_format(sink);
    return fill_with_blanks(sink, buffer, size);
}
GOSSAMER_ALIAS(ompc_get_affinity_format, omp_get_affinity_format)

GOSSAMER_EXPORT void omp_display_affinity(const char* format) {
    gossamer::omp::display_affinity(text_or_nothing(format), current());
}
GOSSAMER_EXPORT void omp_display_affinity_(const char* format, std::size_t length) {
    gossamer::omp::display_affinity({format, length}, current());
}
GOSSAMER_ALIAS(ompc_display_affinity, omp_display_affinity)

GOSSAMER_EXPORT std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
    TextSink sink(buffer, buffer == nullptr ? 0 : size);
    gossamer::omp::format_affinity(sink, text_or_nothing(format), current());
    return sink.finish();
}
GOSSAMER_EXPORT std::int32_t omp_capture_affinity_(char* buffer, const char* format, std::size_t size, std::size_t length) {
    TextSink sink(buffer, size);
    gossamer::omp::format_affinity(sink, {format, length}, current());
    return fill_with_blanks(sink, buffer, size);
}
GOSSAMER_ALIAS(ompc_capture_affinity, omp_capture_affinity)
