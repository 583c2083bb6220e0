// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interoperability routines (OpenMP 5.2 §18.12). The host has no foreign runtime, so every interop object is omp_interop_none:
// it has no property, and every query returns omp_irc_empty.
#include <cstring>

#include "abi/api/fortran.hpp"

namespace {

constexpr int irc_empty = -1;

void set_empty(int* code) {
    if (code != nullptr) *code = irc_empty;
}

}  // namespace

GOSSAMER_EXPORT int omp_get_num_interop_properties(const void*) { return 0; }
GOSSAMER_FORTRAN_ALIAS(omp_get_num_interop_properties)

GOSSAMER_EXPORT std::intptr_t omp_get_interop_int(const void*, int, int* code) {
    set_empty(code);
    return 0;
}
GOSSAMER_FORTRAN_ALIAS(omp_get_interop_int)

GOSSAMER_EXPORT void* omp_get_interop_ptr(const void*, int, int* code) {
    set_empty(code);
    return nullptr;
}
GOSSAMER_FORTRAN_ALIAS(omp_get_interop_ptr)

GOSSAMER_EXPORT const char* omp_get_interop_str(const void*, int, int* code) {
    set_empty(code);
    return nullptr;
}

GOSSAMER_EXPORT const char* omp_get_interop_name(const void*, int) { return nullptr; }
GOSSAMER_EXPORT const char* omp_get_interop_type_desc(const void*, int) { return nullptr; }

// omp_interop_rc_t, from omp_irc_no_value (1) down to omp_irc_other (-6).
GOSSAMER_EXPORT const char* omp_get_interop_rc_desc(const void*, int code) {
    switch (code) {
        case 1: return "successful, but there is no meaningful value";
        case 0: return "successful";
        case irc_empty: return "the interop object is empty";
        case -2: return "the property is out of range";
        case -3: return "the property is an integer";
        case -4: return "the property is a pointer";
        case -5: return "the property is a string";
        default: return "another error";
    }
}

// gfortran's functions that return a pointer to a string write its address and length first.
GOSSAMER_EXPORT void omp_get_interop_str_(const char** text, std::size_t* length, const void*, int, int* code) {
    set_empty(code);
    *text = nullptr;
    *length = 0;
}
GOSSAMER_EXPORT void omp_get_interop_name_(const char** text, std::size_t* length, const void*, int) {
    *text = nullptr;
    *length = 0;
}
GOSSAMER_EXPORT void omp_get_interop_type_desc_(const char** text, std::size_t* length, const void*, int) {
    *text = nullptr;
    *length = 0;
}
GOSSAMER_EXPORT void omp_get_interop_rc_desc_(const char** text, std::size_t* length, const void* interop, int code) {
    *text = omp_get_interop_rc_desc(interop, code);
    *length = std::strlen(*text);
}
