// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dynamic linker's auditor that `gossamer run` names in LD_AUDIT. LD_PRELOAD wins the symbols, but a wheel's own
// copy of a runtime (libgomp-<hash>.so.1) would still be mapped and still start its threads. Here the file name itself
// is redirected, so one file serves everyone who asks for an OpenMP runtime.
//
// It must cost nothing once a program runs: neither la_symbind nor la_pltenter is defined and la_objopen asks for no
// bindings, so the linker (glibc 2.35 or later) never routes a call through us.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static const char library_name[] = "libomp-gossamer.so";
static char library[PATH_MAX];  // empty: not found, redirect nothing

// Whether our library is in a namespace. It is never unloaded. Written and read under the linker's own lock.
enum { namespaces = 16 };
static char loaded[namespaces];

static int starts_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

// True for "", ".1", ".1.0.0": what may follow ".so".
static int is_version(const char* text) {
    for (; *text != '\0'; ++text) {
        if (*text != '.' && (*text < '0' || *text > '9')) {
            return 0;
        }
    }
    return 1;
}

// True if `rest`, what follows "libgomp" and the like, is ".so<version>" or "-<hash>.so<version>" with a hash as
// repaired wheels carry: letters and digits only. So libgomp-plugin-nvptx.so.1 is left alone.
static int is_runtime_suffix(const char* rest) {
    if (*rest == '-') {
        const char* hash = ++rest;
        int digits = 0;
        while ((*rest >= 'a' && *rest <= 'z') || (*rest >= '0' && *rest <= '9')) {
            digits += *rest >= '0' && *rest <= '9';
            ++rest;
        }
        // A hash of hexadecimal digits has a decimal one in it but for a chance we can bear; "gossamer" has none.
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

// MKL's dispatcher asks for "libgomp.so" and "libgomp.so.1" to learn whether GNU's runtime is in the process, and uses its GNU layer
// then, whatever MKL_THREADING_LAYER says. Ours goes by these names and serves the Intel layer as well, which is the faster one; so
// it is not told where that layer is installed. The GNU layer, if chosen, asks for its runtime by a path.
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

// Ours lies beside this file (build tree) or in the folder above it (installed).
static int find_library(void) {
    static const char* const places[] = {"", "../"};
    Dl_info self;
    if (dladdr((const void*)library_name, &self) == 0 || self.dli_fname == NULL) {
        return 0;
    }
    const char* slash = strrchr(self.dli_fname, '/');
    size_t folder = slash != NULL ? (size_t)(slash - self.dli_fname) + 1 : 0;
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
        size_t place = strlen(places[i]);
        if (folder + place + sizeof(library_name) > sizeof(library)) {
            return 0;
        }
        memcpy(library, self.dli_fname, folder);
        memcpy(library + folder, places[i], place);
        memcpy(library + folder + place, library_name, sizeof(library_name));
        if (access(library, R_OK) == 0) {
            return 1;
        }
    }
    library[0] = '\0';
    return 0;
}

EXPORTED unsigned la_version(unsigned version) {
    // 0 asks the linker to forget us.
    if (version == 0 || !find_library()) {
        return 0;
    }
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// la_objsearch is asked on behalf of an object, with its cookie: the object's namespace, and whether it is MKL's dispatcher,
// beside its Intel layer.
enum { dispatcher_flag = 1 << 16 };

EXPORTED unsigned la_objopen(struct link_map* map, Lmid_t namespace_id, uintptr_t* cookie) {
    const char* path = map->l_name != NULL ? map->l_name : "";
    *cookie = (uintptr_t)namespace_id | (has_intel_layer(path) ? dispatcher_flag : 0);
    if (namespace_id >= 0 && namespace_id < namespaces && strcmp(name_of(path), library_name) == 0) {
        loaded[namespace_id] = 1;
    }
    return 0;
}

// The linker checks a program's version needs by file name afterwards, so the name asked for has to become one of the
// names of our link map. How it does depends on whether we are there already:
//  - not yet: we answer the question for the bare name; the linker notes the old name beside the new map.
//  - already (the usual case, by LD_PRELOAD): for a bare name we let the search go on and answer for the first path it
//    tries. The linker opens our file, recognises it and adds the bare name to the map it has. A name with a slash,
//    which only dlopen uses, is never searched for and needs no check.
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
