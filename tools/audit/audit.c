// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic linker's auditor that `gossamer run` names in LD_AUDIT. LD_PRELOAD wins the symbols, but a wheel's own
// copy of a runtime (libgomp-<hash>.so.1) would still be mapped and still start its threads. The auditor redirects the
// file name itself, so one file serves every library that asks for an OpenMP runtime.
//
// The auditor must cost a running program nothing: it defines neither la_symbind nor la_pltenter, and la_objopen asks for
// no bindings, so the linker (glibc 2.35 or later) never routes a call through it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static const char library_name[] = "libomp-gossamer.so";
static const char preloaded_name[] = "libiomp5.so";  // its name in a run (docs/decisions/0028-the-name-of-a-run.md)
static char library[PATH_MAX];  // empty: no library found, so no name is redirected

// Whether our library, which is never unloaded, is in a namespace. The linker's own lock protects the flags.
enum { namespaces = 16 };
static char loaded[namespaces];

static int starts_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

// True for a suffix that may follow ".so": "", ".1", ".1.0.0".
static int is_version(const char* text) {
    for (; *text != '\0'; ++text) {
        if (*text != '.' && (*text < '0' || *text > '9')) {
            return 0;
        }
    }
    return 1;
}

// True if `rest`, the text after "libgomp" and the like, is ".so<version>" or "-<hash>.so<version>" with a repaired
// wheel's hash, which has only letters and digits. So libgomp-plugin-nvptx.so.1 is left alone.
static int is_runtime_suffix(const char* rest) {
    if (*rest == '-') {
        const char* hash = ++rest;
        int digits = 0;
        while ((*rest >= 'a' && *rest <= 'z') || (*rest >= '0' && *rest <= '9')) {
            digits += *rest >= '0' && *rest <= '9';
            ++rest;
        }
        // A hexadecimal hash without a decimal digit is rare enough to ignore; "gossamer" has no digit.
        if (rest == hash || digits == 0) {
            return 0;
        }
    }
    return starts_with(rest, ".so") && is_version(rest + 3);
}

static const char* name_of(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int is_openmp_runtime(const char* path) {
    const char* name = name_of(path);
    static const char* const families[] = {"libgomp", "libomp", "libiomp5"};
    for (unsigned i = 0; i < sizeof(families) / sizeof(families[0]); ++i) {
        if (starts_with(name, families[i]) && is_runtime_suffix(name + strlen(families[i]))) {
            return 1;
        }
    }
    return 0;
}

// MKL's dispatcher asks for "libgomp.so" and "libgomp.so.1" to learn whether GNU's runtime is in the process. If it is, the
// dispatcher uses its GNU layer, whatever MKL_THREADING_LAYER says. Our library goes by these names too, but also serves the
// Intel layer, which is faster. So where that layer is installed, the dispatcher's question gets no answer. The GNU layer, if
// the user chooses it, asks for its runtime by a path.
static int has_intel_layer(const char* path) {
    static const char dispatcher[] = "libmkl_rt.so", layer[] = "libmkl_intel_thread.so";
    const char* name = name_of(path);
    if (!starts_with(name, dispatcher)) {
        return 0;
    }
    char beside[PATH_MAX];
    const size_t folder = (size_t)(name - path), version = strlen(name) - strlen(dispatcher);
    if (folder + strlen(layer) + version >= sizeof(beside)) {
        return 0;
    }
    memcpy(beside, path, folder);
    memcpy(beside + folder, layer, strlen(layer));
    memcpy(beside + folder + strlen(layer), name + strlen(dispatcher), version + 1);
    return access(beside, R_OK) == 0;
}

static int asks_which_layer(const char* name) { return strcmp(name, "libgomp.so") == 0 || strcmp(name, "libgomp.so.1") == 0; }

// Our library goes by the name of a run beside this file. Without that link it lies beside this file (build tree) or in the
// folder above it (installed).
static int find_library(void) {
    static const char* const places[] = {preloaded_name, library_name, "../libomp-gossamer.so"};
    Dl_info self;
    if (dladdr((const void*)library_name, &self) == 0 || self.dli_fname == NULL) {
        return 0;
    }
    const char* slash = strrchr(self.dli_fname, '/');
    size_t folder = slash != NULL ? (size_t)(slash - self.dli_fname) + 1 : 0;
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
        const size_t place = strlen(places[i]);
        if (folder + place + 1 > sizeof(library)) {
            return 0;
        }
        memcpy(library, self.dli_fname, folder);
        memcpy(library + folder, places[i], place + 1);
        if (access(library, R_OK) == 0) {
            return 1;
        }
    }
    library[0] = '\0';
    return 0;
}

EXPORTED unsigned la_version(unsigned version) {
    // 0 asks the linker to drop this auditor.
    if (version == 0 || !find_library()) {
        return 0;
    }
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// The linker calls la_objsearch on behalf of an object, with that object's cookie: its namespace, and this flag if the object
// is MKL's dispatcher beside its Intel layer.
enum { dispatcher_flag = 1 << 16 };

EXPORTED unsigned la_objopen(struct link_map* map, Lmid_t namespace_id, uintptr_t* cookie) {
    const char* path = map->l_name != NULL ? map->l_name : "";
    *cookie = (uintptr_t)namespace_id | (has_intel_layer(path) ? dispatcher_flag : 0);
    const char* name = name_of(path);
    const int ours = strcmp(path, library) == 0 || strcmp(name, library_name) == 0;
    if (namespace_id >= 0 && namespace_id < namespaces && ours) {
        loaded[namespace_id] = 1;
    }
    return 0;
}

// The linker later checks a program's version needs by file name, so the requested name must become one of the names of our
// library's link map. There are two cases:
//  - our library is not loaded yet: the auditor answers the bare name; the linker notes that name beside the new map.
//  - our library is loaded (the usual case, by LD_PRELOAD): the auditor passes a bare name on, and answers the first path
//    of the search. The linker opens our file, recognises it and adds the bare name to the existing map. The linker does
//    not search for a name with a slash, which only dlopen uses, and such a name needs no check.
EXPORTED char* la_objsearch(const char* name, uintptr_t* cookie, unsigned flag) {
    if (!is_openmp_runtime(name)) {
        return (char*)name;
    }
    if ((*cookie & dispatcher_flag) != 0 && asks_which_layer(name)) {
        return NULL;
    }
    uintptr_t asking = *cookie & ~(uintptr_t)dispatcher_flag;
    int here = asking < namespaces && loaded[asking];
    int bare_question = flag == LA_SER_ORIG && strchr(name, '/') == NULL;
    return here && bare_question ? (char*)name : library;
}
