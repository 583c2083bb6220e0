// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error directive with at(execution) (OpenMP 5.2 §8.5).
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT void __kmpc_error(Ident* where, int severity, const char* message) {
    constexpr int warning = 1;
    const char* const source = where != nullptr && where->source != nullptr ? where->source : "unknown source";
    const char* const text = message != nullptr ? message : "(no message)";
    if (severity != warning) fatal("error directive at %s: %s", source, text);
    say("error directive at %s: warning: %s", source, text);
}
