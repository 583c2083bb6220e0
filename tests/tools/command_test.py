#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gossamer command, as a user meets it: command_test.py GOSSAMER LIBDIR CC VERSION."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

GOSSAMER = LIBDIR = CC = VERSION = ""
LOADER_VARIABLES = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GLIBC_TUNABLES")

# A wheel's copy of a runtime: the names that its clients bind to, its own SONAME and the real version nodes.
VENDORED_C = "int omp_get_max_threads(void) { return -7; }\n"
VENDORED_MAP = "OMP_1.0 { global: omp_get_max_threads; local: *; };\n"
CLIENT_C = "extern int omp_get_max_threads(void);\nvoid* client_binding(void) { return (void*)omp_get_max_threads; }\n"
# Prints the file that serves the client, and the runtimes that are mapped.
HOST_C = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
extern void* client_binding(void);
int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (dlopen(argv[i], RTLD_NOW) == NULL) {
            printf("failed %s\n", dlerror());
        }
    }
    Dl_info info;
    printf("bound %s\n", dladdr(client_binding(), &info) != 0 ? info.dli_fname : "nowhere");
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[4096];
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        char* path = strchr(line, '/');
        // The file's name, since the folder's is drawn by lot.
        if (path != NULL && strstr(strrchr(path, '/'), "omp") != NULL && strstr(line, "r-xp") != NULL) {
            printf("mapped %s", path);
        }
    }
    return 0;
}
"""

# Looks for GNU's runtime as MKL's dispatcher does, then opens the chosen layer's own runtime.
DISPATCHER_C = r"""
#include <dlfcn.h>
const char* layer(void) {
    if (dlopen("libgomp.so", RTLD_NOW | RTLD_NOLOAD) != 0 || dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD) != 0) return "gnu";
    return dlopen("libiomp5.so", RTLD_NOW) != 0 ? "intel" : "none";
}
const char* gnu_layer(const char* runtime) { return dlopen(runtime, RTLD_NOW) != 0 ? "gnu" : "none"; }
"""
DISPATCHED_C = r"""
#include <stdio.h>
extern const char* layer(void);
extern const char* gnu_layer(const char* runtime);
int main(int argc, char** argv) {
    puts(argc > 1 ? gnu_layer(argv[1]) : layer());
    return 0;
}
"""


def clean_environment(**more):
    environment = {name: value for name, value in os.environ.items()
                   if name not in LOADER_VARIABLES and not name.startswith(("OMP_", "GOSSAMER_"))}
    environment.update(more)
    return environment


def gossamer(*arguments, **more):
    environment = clean_environment(**more.pop("env", {}))
    return subprocess.run([GOSSAMER, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=60,
                          **more)


def shown(*arguments, variable, env=None):
    """The variable's value in a command that `gossamer run` starts with these options."""
    result = gossamer("run", *arguments, "sh", "-c", f'printf %s "${variable}"', env=env or {})
    assert result.returncode == 0, result.stderr
    return result.stdout


class Folder(unittest.TestCase):
    """A test case with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gossamer-command-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, name, source, *options):
        file = self.folder / (name + ".c")
        file.write_text(source)
        output = self.folder / name
        subprocess.run([CC, "-o", output, file, *map(str, options)], check=True, cwd=self.folder)
        return output


class Status(Folder):
    def test_exit_status_is_the_commands_own(self):
        for status in (0, 1, 7, 125, 255):
            self.assertEqual(gossamer("run", "sh", "-c", f"exit {status}").returncode, status)

    def test_death_by_signal_is_the_commands_own(self):
        self.assertEqual(gossamer("run", "sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)

    def test_signals_reach_the_command(self):
        script = 'trap "exit 9" USR1; echo ready; while :; do sleep 0.02; done'
        with subprocess.Popen([GOSSAMER, "run", "sh", "-c", script], stdout=subprocess.PIPE, text=True,
                              env=clean_environment()) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.wait(timeout=30), 9)

    def test_missing_command(self):
        for command in ("gossamer-has-no-such-command", "./no/such/file"):
            result = gossamer("run", command)
            self.assertEqual(result.returncode, 127)
            self.assertEqual(result.stderr, f"gossamer: {command}: command not found\n")

    def test_not_executable(self):
        file = self.folder / "text"
        file.write_text("no program\n")
        result = gossamer("run", file)
        self.assertEqual(result.returncode, 126)
        self.assertIn("Permission denied", result.stderr)

    def test_missing_interpreter(self):
        file = self.folder / "script"
        file.write_text("#!/no/such/interpreter\n")
        file.chmod(0o755)
        result = gossamer("run", file)
        self.assertEqual(result.returncode, 126)
        self.assertIn("interpreter is missing", result.stderr)

    def test_wrong_use(self):
        for arguments in ((), ("run",), ("run", "--"), ("run", "-n"), ("run", "--no-such-option", "true"), ("fly",)):
            result = gossamer(*arguments)
            self.assertEqual((arguments, result.returncode), (arguments, 125))
            self.assertIn("gossamer", result.stderr, arguments)
        self.assertEqual(gossamer("./program").stderr,
                         "gossamer: ./program: no such command; to run a program: gossamer run ./program\n")

    def test_standard_streams_pass(self):
        result = gossamer("run", "cat", input="through\n")
        self.assertEqual((result.stdout, result.stderr, result.returncode), ("through\n", "", 0))


class Help(unittest.TestCase):
    def test_help_and_version(self):
        self.assertEqual(gossamer("--version").stdout, f"gossamer {VERSION}\n")
        self.assertIn("gossamer run --help", gossamer("--help").stdout)
        text = gossamer("run", "--help").stdout
        self.assertIn("Usage: gossamer run [options] [--] command [argument ...]", text)
        for option in ("--threads", "--carriers", "--wait-policy", "--no-audit", "--verbose"):
            self.assertIn(option, text)

    def test_words_after_the_command_are_its_own(self):
        for before in ((), ("--",), ("-n", "2"), ("-n2", "--"), ("--threads=2",), ("-vn", "2")):
            result = gossamer("run", *before, "echo", "--help", "-n", "3", "--", "run")
            self.assertEqual(result.stdout, "--help -n 3 -- run\n", before)


class Variables(unittest.TestCase):
    def test_options_become_variables(self):
        for options, variable, value in (
                (("-n", "3,2"), "OMP_NUM_THREADS", "3,2"), (("--threads=5",), "OMP_NUM_THREADS", "5"),
                (("--carriers", "2"), "GOSSAMER_CARRIERS", "2"), (("--wait-policy", "passive"), "OMP_WAIT_POLICY", "passive"),
                (("--max-levels", "1"), "OMP_MAX_ACTIVE_LEVELS", "1"), (("--schedule", "guided,4"), "OMP_SCHEDULE", "guided,4"),
                (("--bind", "spread"), "OMP_PROC_BIND", "spread"), (("--places", "cores"), "OMP_PLACES", "cores"),
                (("--stack-size", "8M"), "OMP_STACKSIZE", "8M"), (("--stats",), "GOSSAMER_STATS", "1"),
                (("--chaos", "7"), "GOSSAMER_CHAOS", "7"),
                (("--display-env",), "OMP_DISPLAY_ENV", "true")):
            # Some settings make the runtime print lines of its own before the wanted value.
            self.assertEqual(shown(*options, variable=variable).strip().splitlines()[-1], value)

    def test_an_option_wins_over_the_environment(self):
        self.assertEqual(shown("-n", "3", variable="OMP_NUM_THREADS", env={"OMP_NUM_THREADS": "9"}), "3")
        self.assertEqual(shown(variable="OMP_NUM_THREADS", env={"OMP_NUM_THREADS": "9"}), "9")

    def test_the_users_own_lists_are_kept(self):
        theirs = os.path.join(LIBDIR, "libgossamer-audit.so")  # any loadable library serves here
        self.assertEqual(shown(variable="LD_PRELOAD", env={"LD_PRELOAD": theirs}),
                         f"{LIBDIR}/libiomp5.so:{theirs}")
        self.assertEqual(shown(variable="LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": "/a:/b"}), f"{LIBDIR}:/a:/b")

    def test_running_inside_a_run_adds_nothing(self):
        once = {name: shown(variable=name) for name in LOADER_VARIABLES}
        for name in LOADER_VARIABLES:
            self.assertEqual(shown(GOSSAMER, "run", variable=name), once[name])

    def test_verbose_shows_what_is_set(self):
        result = gossamer("run", "-v", "-n", "4", "true")
        self.assertIn(f"gossamer: LD_PRELOAD={LIBDIR}/libiomp5.so\n", result.stderr)
        self.assertIn("gossamer: OMP_NUM_THREADS=4\n", result.stderr)
        self.assertEqual(gossamer("run", "-n", "4", "true").stderr, "")


class Warnings(Folder):
    def test_static_program(self):
        try:
            program = self.compile("static", "int main(void) { return 3; }\n", "-static")
        except subprocess.CalledProcessError:
            self.skipTest("no static C library here")
        result = gossamer("run", program)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr, f"gossamer: warning: {program} runs without Gossamer: it is statically linked\n")

    def test_set_user_id_program(self):
        if os.getuid() != 0:
            self.skipTest("only root can give a file to another user")
        program = self.compile("setuid", "int main(void) { return 3; }\n")
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        self.assertIn("set-user-id", gossamer("run", program).stderr)

    def test_ordinary_program(self):
        program = self.compile("ordinary", "int main(void) { return 3; }\n")
        result = gossamer("run", program)
        self.assertEqual((result.returncode, result.stderr), (3, ""))


class Sanitizers(Folder):
    def test_their_libraries_come_first(self):
        source = ("#include <omp.h>\n#include <stdlib.h>\nint main(void) {\n    int sum = 0;\n"
                  "#pragma omp parallel num_threads(4) reduction(+ : sum)\n"
                  "    free(malloc(8)), sum += omp_get_num_threads();\n    return sum - 16;\n}\n")
        for kind in ("address", "thread"):
            try:
                program = self.compile(kind, source, "-fopenmp", f"-fsanitize={kind}")
            except subprocess.CalledProcessError:
                self.skipTest(f"this compiler has no {kind} sanitizer")
            # What the thread sanitizer says of a runtime that is not built for it is another matter.
            result = gossamer("run", program, env={"TSAN_OPTIONS": "exitcode=0 report_bugs=0", "ASAN_OPTIONS": "detect_leaks=0"})
            self.assertEqual((result.returncode, result.stderr), (0, ""))


class StaticStorage(Folder):
    def test_a_library_with_much_static_tls_is_loaded(self):
        library = self.compile("libmuch.so", '__attribute__((tls_model("initial-exec"))) __thread char much[4096];\n'
                               "int last(void) { return much[4095]; }\n", "-shared", "-fPIC")
        program = self.compile("program", "int last(void);\nint main(void) { return last(); }\n", library,
                               f"-Wl,-rpath,{self.folder}")
        result = gossamer("run", program)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_users_own_tunables_hold(self):
        theirs = "glibc.rtld.optional_static_tls=8192:glibc.malloc.check=0"
        self.assertTrue(shown(variable="GLIBC_TUNABLES", env={"GLIBC_TUNABLES": theirs}).endswith(":" + theirs))


class Name(Folder):
    def test_a_program_that_looks_for_intels_runtime_finds_it_by_its_file_name(self):
        # What mkl-service does when it is imported.
        program = self.compile("which", "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n"
                               "int main(void) {\n    Dl_info info;\n"
                               '    void* function = dlsym(RTLD_DEFAULT, "omp_get_num_threads");\n'
                               "    if (function == NULL || dladdr(function, &info) == 0) return 1;\n"
                               "    puts(info.dli_fname);\n"
                               '    return dlopen("libiomp5.so", RTLD_LAZY | RTLD_GLOBAL) == NULL;\n}\n', "-ldl")
        for options in ((), ("--no-audit",)):
            result = gossamer("run", *options, program)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(os.path.basename(result.stdout.strip()), "libiomp5.so")
            self.assertEqual(os.path.realpath(result.stdout.strip()), os.path.realpath(f"{LIBDIR}/libomp-gossamer.so"))


class Redirection(Folder):
    def setUp(self):
        super().setUp()
        libs = self.folder / "wheel.libs"
        libs.mkdir()
        (self.folder / "vendored.map").write_text(VENDORED_MAP)
        vendored = self.compile("libgomp-abc123.so.1", VENDORED_C, "-shared", "-fPIC", "-Wl,-soname,libgomp-abc123.so.1",
                                "-Wl,--version-script=vendored.map")
        self.vendored = libs / vendored.name
        vendored.rename(self.vendored)
        self.compile("libclient.so", CLIENT_C, "-shared", "-fPIC", self.vendored, "-Wl,-rpath,$ORIGIN/wheel.libs")
        self.host = self.compile("host", HOST_C, self.folder / "libclient.so", "-Wl,-rpath,$ORIGIN", "-ldl")
        self.ours = os.path.realpath(f"{LIBDIR}/libomp-gossamer.so")

    def run_host(self, *options, libraries=()):
        result = gossamer("run", *options, self.host, *libraries)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = [line.split(" ", 1) for line in result.stdout.splitlines()]
        return ([os.path.realpath(rest) for word, rest in lines if word == "bound"],
                {os.path.realpath(rest) for word, rest in lines if word == "mapped"},
                [rest for word, rest in lines if word == "failed"])

    def test_the_sample_works_without_gossamer(self):
        result = subprocess.run([self.host], capture_output=True, text=True, env=clean_environment(), check=True)
        self.assertIn(f"mapped {self.vendored}\n", result.stdout)

    def test_a_vendored_copy_is_replaced_by_ours(self):
        bound, mapped, failed = self.run_host()
        self.assertEqual((bound, mapped, failed), ([self.ours], {self.ours}, []))

    def test_without_the_auditor_the_copy_is_mapped_but_not_used(self):
        bound, mapped, _ = self.run_host("--no-audit")
        self.assertEqual((bound, mapped), ([self.ours], {self.ours, str(self.vendored)}))

    def test_every_name_of_a_runtime_leads_to_one_file(self):
        names = ["libgomp.so.1", "libgomp.so", "libomp.so.5", "libomp.so", "libiomp5.so", self.vendored,
                 "libgomp-a34b3233.so.1.0.0", "/nowhere/libiomp5.so"]
        bound, mapped, failed = self.run_host(libraries=names)
        self.assertEqual((bound, mapped, failed), ([self.ours], {self.ours}, []))

    def test_other_files_are_left_alone(self):
        names = ["libgomp-plugin-gcn.so.1", "libompressor.so", "libomptarget.so"]
        files = [self.compile(name, "int nothing;\n", "-shared", "-fPIC", "-Wl,-z,noseparate-code") for name in names]
        _, _, failed = self.run_host(libraries=files)
        self.assertEqual(failed, [])
        for name in names:
            _, mapped, failed = self.run_host(libraries=[f"/nowhere/{name}"])
            self.assertEqual((mapped, len(failed)), ({self.ours}, 1), name)

    def test_mkl_chooses_its_intel_layer_where_it_is_installed(self):
        dispatcher = self.compile("libmkl_rt.so.9", DISPATCHER_C, "-shared", "-fPIC", "-Wl,-soname,libmkl_rt.so.9", "-ldl")
        program = self.compile("dispatched", DISPATCHED_C, dispatcher, "-Wl,-rpath,$ORIGIN")
        chosen = lambda *arguments: gossamer("run", program, *arguments).stdout.strip()
        self.assertEqual(chosen(), "gnu")
        self.compile("libmkl_intel_thread.so.9", "int nothing;\n", "-shared", "-fPIC")
        self.assertEqual(chosen(), "intel")
        self.assertEqual(chosen("/nowhere/libgomp.so.1"), "gnu")

    def test_the_auditor_alone_serves_too(self):
        # A parent may have cleared LD_PRELOAD but not LD_AUDIT.
        environment = clean_environment(LD_AUDIT=f"{LIBDIR}/libgossamer-audit.so")
        result = subprocess.run([self.host, "libiomp5.so"], capture_output=True, text=True, env=environment, check=True)
        self.assertEqual({os.path.realpath(path) for path in re.findall(r"mapped (.*)", result.stdout)}, {self.ours})

    def test_the_auditor_hooks_no_calls(self):
        listing = subprocess.run(["readelf", "--dyn-syms", "-W", f"{LIBDIR}/libgossamer-audit.so"], check=True,
                                 capture_output=True, text=True).stdout
        self.assertEqual(set(re.findall(r"\bla_\w+", listing)), {"la_version", "la_objopen", "la_objsearch"})


class Info(unittest.TestCase):
    def test_info(self):
        result = gossamer("info", "-n", "6")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, rf"(?m)^version +{re.escape(VERSION)}$")
        self.assertRegex(result.stdout, rf"(?m)^library +{re.escape(os.path.realpath(LIBDIR))}/libomp-gossamer\.so$")
        self.assertRegex(result.stdout, r"(?m)^carriers +[1-9][0-9]*\b")
        self.assertRegex(result.stdout, r"(?m)^ +OMP_NUM_THREADS='6' \(from OMP_NUM_THREADS\)$")
        self.assertRegex(result.stdout, r"(?m)^ +OMP_DYNAMIC='FALSE' \(default\)$")

    def test_info_names_what_is_misspelt(self):
        result = gossamer("info", env={"OMP_NUM_THREAD": "4", "OMP_NUM_THREADS_ALL": "3", "KMP_USE_YIELD": "0"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^ +OMP_NUM_THREAD \(set, but no setting of this runtime\)$")
        self.assertEqual(result.stdout.count("no setting of this runtime"), 1, result.stdout)

    def test_info_names_the_variable_behind_a_value(self):
        def line(variable, value, shown):
            return re.search(rf"(?m)^ +{shown}=.*$", gossamer("info", env={variable: value}).stdout)[0].strip()

        self.assertEqual(line("KMP_ALL_THREADS", "7", "OMP_THREAD_LIMIT"), "OMP_THREAD_LIMIT='7' (from KMP_ALL_THREADS)")
        self.assertEqual(line("OMP_PLACES", "cores", "OMP_PROC_BIND"), "OMP_PROC_BIND='TRUE' (from OMP_PLACES)")
        self.assertEqual(line("OMP_STACKSIZE", "8", "OMP_STACKSIZE"), "OMP_STACKSIZE='64K' (from OMP_STACKSIZE)")
        self.assertEqual(line("KMP_LIBRARY", "serial", "OMP_MAX_ACTIVE_LEVELS"),
                         "OMP_MAX_ACTIVE_LEVELS='0' (from KMP_LIBRARY)")


if __name__ == "__main__":
    GOSSAMER, LIBDIR, CC, VERSION = sys.argv[1:5]
    LIBDIR = os.path.realpath(LIBDIR)
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
