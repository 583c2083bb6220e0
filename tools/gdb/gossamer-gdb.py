# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenMP threads in gdb. After `source gossamer-gdb.py`:

    gossamer threads            every OpenMP thread: its number in each team, its state, its place in the program
    gossamer backtrace [N ...]  the stacks of the threads with these numbers in that list (default: all), suspended threads too
    gossamer thread N           selects a suspended thread's stack for `up`, `frame`, `info locals`; `gossamer thread` goes back

Works on a live process and on a core file. The script reads the list of fibers that src/fiber/roll.cpp keeps, and the
frame that src/arch/*/switch.S saves when it switches away from a fiber."""

import gdb
import gdb.unwinder

# Offsets from the saved stack pointer (src/arch/*/frame.h). size: from there to the stack pointer before the switch's call.
LAYOUTS = {
    "i386:x86-64": {
        "saved": {"rbp": 48, "rbx": 40, "r12": 32, "r13": 24, "r14": 16, "r15": 8, "rip": 56},
        "size": 64,
        "pc": "rip",
        "sp": "rsp",
        "thread_pointer": "fs_base",
    },
    "aarch64": {
        "saved": {"x29": 0, "pc": 8, "x30": 8, **{f"x{19 + i}": 16 + 8 * i for i in range(10)}},
        "size": 176,
        "pc": "pc",
        "sp": "sp",
        "thread_pointer": "tpidr",
    },
}
# A suspended thread's state, by the name of the runtime's function nearest to the program.
WAITS = (
    ("parallel", "waits for its team at the end of a region"),
    ("barrier", "waits at a barrier"),
    ("single", "waits at a single construct"),
    ("reduc", "waits in a reduction"),
    ("critical", "waits for a critical section"),
    ("ordered", "waits for its turn in order"),
    ("doacross", "waits for another iteration"),
    ("taskgroup", "waits for a task group"),
    ("taskwait", "waits for its tasks"),
    ("task", "waits for tasks"),
    ("lock", "waits for a lock"),
    ("sections", "waits at the end of sections"),
    ("loop", "waits at a loop"),
    ("sched_yield", "has yielded"),
    ("flush", "has yielded at a flush"),
)
UNKNOWN = "waits"


def layout():
    name = gdb.selected_inferior().architecture().name() if gdb.selected_thread() else None
    if name not in LAYOUTS:
        raise gdb.GdbError(f"gossamer: no live process or core file, or one of an unknown CPU ({name})")
    return LAYOUTS[name]


def variable(name):
    symbol = gdb.lookup_global_symbol(f"gossamer::fiber::{name}")
    if symbol is None:
        raise gdb.GdbError(f"gossamer: no variable {name} found; is Gossamer loaded, with its debug information?")
    return symbol.value()


def atom(value):
    """The value of a std::atomic."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return value
    for field in kind.fields():
        if field.name in ("_M_i", "_M_p"):
            return value[field]
    for field in kind.fields():
        if field.is_base_class or field.name in ("_M_b", "_M_base"):
            return atom(value[field])
    raise gdb.GdbError(f"gossamer: {kind} is no atomic of a known kind")


class SuspendedStack(gdb.unwinder.Unwinder):
    """While armed, shows a suspended fiber's frame as the caller of the selected thread's innermost frame."""

    def __init__(self):
        super().__init__("gossamer-suspended")
        self.saved_sp = None
        self.below = None

    def arm(self, saved_sp):
        self.saved_sp = None
        gdb.invalidate_cached_frames()
        if saved_sp is not None:
            self.below = int(gdb.newest_frame().read_register(layout()["sp"]))
            self.saved_sp = saved_sp
            gdb.invalidate_cached_frames()

    def __call__(self, pending):
        if self.saved_sp is None:
            return None
        at = layout()
        sp, pc = pending.read_register(at["sp"]), pending.read_register(at["pc"])
        if int(sp) != self.below:
            return None
        info = pending.create_unwind_info(FrameId(sp, pc))
        memory = gdb.selected_inferior()
        word = gdb.lookup_type("unsigned long")
        for register, offset in at["saved"].items():
            bytes_ = memory.read_memory(self.saved_sp + offset, 8).tobytes()
            info.add_saved_register(register, gdb.Value(bytes_, word).cast(pending.read_register(register).type))
        above = gdb.Value(self.saved_sp + at["size"]).cast(sp.type)
        info.add_saved_register(at["sp"], above)
        return info


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


unwinder = SuspendedStack()


class OpenMPThread:
    """An OpenMP thread that has begun: a fiber with a descriptor."""

    def __init__(self, fiber):
        self.fiber = fiber
        self.descriptor = fiber["local"].cast(gdb.lookup_type("gossamer::omp::Thread").pointer())
        self.native = None  # the gdb thread that it runs on; None: it is suspended
        self.carrier = None

    def path(self):
        """The thread's number in each team around it, outermost first."""
        numbers = []
        thread = self.descriptor
        while int(thread) != 0 and len(numbers) < 100:
            team = thread["team"]
            if int(team["level"]) > 0:
                numbers.append(f"{int(thread['num'])}/{int(team['size'])}")
            thread = team["parent"]
        return " > ".join(reversed(numbers)) if numbers else "initial"

    def level(self):
        return int(self.descriptor["team"]["level"])

    def permit(self):
        return int(atom(self.fiber["permit"]["state_"]).cast(gdb.lookup_type("unsigned int")))

    def saved_sp(self):
        return int(self.fiber["stack_pointer"])

    def frames(self):
        """The thread's frames, innermost first; the selected gdb thread changes."""
        if self.native is not None:
            self.native.switch()
            frame = gdb.newest_frame()
        else:
            unwinder.arm(self.saved_sp())
            frame = gdb.newest_frame().older()
        while frame is not None and frame.is_valid():
            yield frame
            frame = frame.older()

    def state(self, frames):
        if self.native is not None:
            return f"runs on carrier {self.carrier}, native thread {self.native.ptid[1] or self.native.ptid[2]}"
        if self.permit() == 2:
            return "ready to run"
        nearest = UNKNOWN
        for frame in frames:
            name = frame.name() or ""
            if not is_runtime(frame):
                break
            nearest = next((text for word, text in WAITS if word in name.lower()), nearest)
        return nearest


def is_runtime(frame):
    """Whether the frame's code is in this library's file."""
    name = gdb.solib_name(frame.pc()) or ""
    ours = gdb.solib_name(int(variable("g").address))
    return name == ours


def describe(frame):
    name = frame.name() or "??"
    where = frame.find_sal()
    if where.symtab is not None:
        return f"{name} at {where.symtab.filename}:{where.line}"
    library = gdb.solib_name(frame.pc())
    return f"{name} from {library}" if library else name


def carriers():
    slots = int(atom(variable("g")["slots"]))
    table = variable("g")["carriers"]
    for index in range(slots):
        carrier = atom(table[index])
        if int(carrier) != 0 and "nobody" not in str(atom(carrier["serves"])):
            yield carrier


def natives():
    """Each gdb thread with its thread pointer and stack pointer."""
    at = layout()
    before = gdb.selected_thread()
    found = []
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        found.append(
            (thread, int(frame.read_register(at["thread_pointer"])) & (2**64 - 1), int(frame.read_register(at["sp"])))
        )
    before.switch()
    return found


def openmp_threads():
    unwinder.arm(None)
    running = {}
    for carrier in carriers():
        fiber = carrier["running"]
        if int(fiber) == 0:
            continue
        # A carrier may still name its home as running after the switch away from it, while it runs nothing else.
        own = int(fiber["own"]) == int(carrier)
        place = int(atom(carrier["home_place"]["place_"]).cast(gdb.lookup_type("unsigned int")))
        if not own or place == 0:
            running[int(fiber)] = (int(carrier["index"]), int(carrier["home"]["thread_pointer"] if carrier["home"] else 0))
    threads = natives()
    found = []
    fiber = variable("first_on_roll")
    while int(fiber) != 0:
        if int(fiber["local"]) != 0:
            one = OpenMPThread(fiber)
            if int(fiber) in running or int(fiber["carrier"]) == 0:
                one.carrier, home_pointer = running.get(int(fiber), ("-", 0))
                pointer = int(fiber["thread_pointer"]) or home_pointer
                # The lender has the same thread pointer, and sleeps above the fiber's frames.
                same = [(sp, thread) for thread, tp, sp in threads if tp == pointer]
                one.native = min(same, key=lambda pair: pair[0])[1] if same else None
            found.append(one)
        fiber = fiber["on_roll"]["next"]
    found.sort(key=lambda one: (one.path() != "initial", [int(n.split("/")[0]) for n in one.path().split(" > ") if "/" in n]))
    return found


class Gossamer(gdb.Command):
    """OpenMP threads on Gossamer: `gossamer threads`, `gossamer backtrace [N ...]`, `gossamer thread [N]`."""

    def __init__(self):
        super().__init__("gossamer", gdb.COMMAND_STACK, prefix=True)


class Threads(gdb.Command):
    """Lists the OpenMP threads that have begun: level, numbers in the teams around each, state, place in the program."""

    def __init__(self):
        super().__init__("gossamer threads", gdb.COMMAND_STACK)

    def invoke(self, _arguments, _from_tty):
        layout()
        before = gdb.selected_thread()
        try:
            threads = openmp_threads()
            for number, one in enumerate(threads, 1):
                frames = list(one.frames())
                place = next((describe(f) for f in frames if not is_runtime(f) and f.find_sal().symtab), None)
                place = place or next((describe(f) for f in frames), "no frames")
                print(f"{number:4}  level {one.level()}  {one.path():24} {one.state(frames):40} {place}")
            if not threads:
                print("no OpenMP threads")
        finally:
            unwinder.arm(None)
            before.switch()


def chosen(arguments, threads):
    for text in gdb.string_to_argv(arguments):
        if not text.isdigit() or not 1 <= int(text) <= len(threads):
            raise gdb.GdbError(f"gossamer: no OpenMP thread {text}; there are 1 to {len(threads)}")
        yield int(text)


class Backtrace(gdb.Command):
    """The stacks of OpenMP threads, by their numbers in `gossamer threads`; without a number, all stacks."""

    def __init__(self):
        super().__init__("gossamer backtrace", gdb.COMMAND_STACK)

    def invoke(self, arguments, _from_tty):
        layout()
        before = gdb.selected_thread()
        try:
            threads = openmp_threads()
            for number in list(chosen(arguments, threads)) or range(1, len(threads) + 1):
                one = threads[number - 1]
                frames = list(one.frames())
                print(f"OpenMP thread {number}, {one.path()}: {one.state(frames)}")
                for depth, frame in enumerate(frames):
                    print(f"#{depth:<3} {describe(frame)}")
                unwinder.arm(None)
        finally:
            unwinder.arm(None)
            before.switch()


class Thread(gdb.Command):
    """Makes an OpenMP thread's stack the current one: its frames begin at #1, where it is suspended. Without a
    number, and whenever the process goes on, the native thread's own stack becomes current again."""

    def __init__(self):
        super().__init__("gossamer thread", gdb.COMMAND_STACK)

    def invoke(self, arguments, _from_tty):
        layout()
        unwinder.arm(None)
        if not arguments:
            return
        threads = openmp_threads()
        for number in chosen(arguments, threads):
            one = threads[number - 1]
            if one.native is not None:
                one.native.switch()
            else:
                unwinder.arm(one.saved_sp())
                gdb.newest_frame().older().select()
            gdb.execute("frame")


gdb.unwinder.register_unwinder(None, unwinder, replace=True)
gdb.events.cont.connect(lambda _event: setattr(unwinder, "saved_sp", None))
Gossamer()
Threads()
Backtrace()
Thread()
