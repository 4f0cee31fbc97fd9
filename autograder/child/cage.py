"""The walls of one submission: namespaces, a scratch folder and limits of its own, by Linux's own calls.

`caged(line, run)` makes three processes of the caller. The first one leaves the caller's namespaces, starts
the second and ends; the second is process 1 of the submission's namespaces, so that all others in there end
with it; the third runs the student's code. (`os.unshare` exists only from Python 3.12 on, so the C library's
functions are called directly.)
"""

import contextlib
import ctypes
import os
import resource
import signal
import struct
from collections.abc import Callable

SCRATCH = "/scratch"
SCRATCH_BYTES = 64 * 2**20
MEMORY_BYTES = 2**30  # of one process, beyond what the zygote has mapped
MEMORY_OF_ALL_BYTES = 2 * 2**30  # of all processes together; the zygote watches it
CPU_SECONDS = 120  # of one process
PROCESSES = 64  # threads count as processes
OPEN_FILES = 128
FILE_BYTES = SCRATCH_BYTES

_CLONE_NEWNS, _CLONE_NEWCGROUP, _CLONE_NEWUTS, _CLONE_NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 16384, 1 << 18
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_PR_CAP_AMBIENT_CLEAR_ALL, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 4, 22, 2
_CAPABILITY_VERSION_3 = 0x20080522

# Calls that no exercise needs: they hold memory that no limit counts (memfd, System V shared memory, message
# queues), or they are ways into the kernel. By machine: the number that seccomp knows it by, and the calls.
_FORBIDDEN = {
    "x86_64": (
        0xC000003E,
        {"memfd_create": 319, "memfd_secret": 447, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240}
        | {"keyctl": 250, "add_key": 248, "request_key": 249, "bpf": 321, "perf_event_open": 298}
        | {"userfaultfd": 323, "io_uring_setup": 425, "ptrace": 101, "unshare": 272, "setns": 308}
        | {
            "mount": 165,
            "umount2": 166,
            "pivot_root": 155,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "memfd_create": 279,
            "memfd_secret": 447,
            "shmget": 194,
            "semget": 190,
            "msgget": 186,
            "mq_open": 180,
        }
        | {"keyctl": 219, "add_key": 217, "request_key": 218, "bpf": 280, "perf_event_open": 241}
        | {"userfaultfd": 282, "io_uring_setup": 425, "ptrace": 117, "unshare": 97, "setns": 268}
        | {"mount": 40, "umount2": 39, "pivot_root": 41, "process_vm_readv": 270, "process_vm_writev": 271},
    ),
}
_libc = ctypes.CDLL(None, use_errno=True)


def readable_by_others(yes: bool) -> None:
    """Whether processes of the same user may look into the memory of this one."""
    _check(_libc.prctl(_PR_SET_DUMPABLE, int(yes), 0, 0, 0), "prctl")


def prepare(user: int) -> None:
    """Before the zygote imports anything else: give up root for good, and let nobody look into it.

    user: the user and group to become when started as root, else -1. Root mounts /proc first: bubblewrap's
    own has covers on it, under which the kernel refuses a fresh one to a submission.
    """
    if user != -1:
        mount("proc", "/proc")
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    readable_by_others(False)


def mount(kind: str, place: str, options: str = "", flags: int = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC) -> None:
    done = _libc.mount(kind.encode(), place.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _check(done, f"mounting {kind} on {place}")


def caged(line: int, run: Callable[[], None]) -> int:
    """Run `run` behind walls of its own with one open descriptor, `line`; the number of its process 1.

    Raises OSError with the reason when a wall cannot be had.
    """
    heard, said = os.pipe()
    first = os.fork()
    if first == 0:
        with _last_words(said):
            _leave(line, said, run)
    os.close(said)
    with open(heard, "rb") as pipe:
        words = pipe.read()
    os.waitpid(first, 0)
    number, _, reason = words.decode("utf-8", "replace").partition(" ")
    if reason or not number.isdigit():
        raise OSError(reason or "the walls' process ended while it built them")
    return int(number)


def _leave(line: int, said: int, run: Callable[[], None]) -> None:
    """In the first process: into new namespaces, and on to the process that is number 1 in them."""
    readable_by_others(True)  # else /proc/self/uid_map is not ours to write
    user, group = os.getuid(), os.getgid()
    spaces = _CLONE_NEWUSER | _CLONE_NEWPID | _CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWNET | _CLONE_NEWUTS
    _check(_libc.unshare(spaces), "making namespaces for a submission")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    process = os.fork()
    if process == 0:
        with _last_words(said):
            _furnish()
            _close_all_but(line, said)
            _limit()
            _give_up_rights()
            _filter_calls()
            _rule(line, said, run)
    os.write(said, b"%d " % process)


def _furnish() -> None:
    """Private mounts: nothing that is written in here is seen outside or stays."""
    _check(
        _libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None), "making mounts private"
    )
    size = f"size={SCRATCH_BYTES},nr_inodes=10000,mode=700"
    mount("tmpfs", SCRATCH, size, _MS_NOSUID | _MS_NODEV)
    mount("tmpfs", "/dev/shm", size)
    mount("proc", "/proc")
    # Who could make a user namespace once more would hold every right in it: to mount a tmpfs without a cap.
    _write("/proc/sys/user/max_user_namespaces", "0")
    _write("/proc/self/oom_score_adj", "1000")  # where memory runs out all the same, this goes first
    os.chdir(SCRATCH)


def _limit() -> None:
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limits = {
        resource.RLIMIT_CPU: CPU_SECONDS,
        resource.RLIMIT_AS: mapped + MEMORY_BYTES,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_NPROC: PROCESSES,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for limit, most in limits.items():
        _, hard = resource.getrlimit(limit)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))


def _give_up_rights() -> None:
    """The rights that the new user namespace gave, all of them and for ever."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    capability = 0
    while _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    none = ctypes.create_string_buffer(struct.pack("<6I", 0, 0, 0, 0, 0, 0))
    _check(_libc.capset(struct.pack("<Ii", _CAPABILITY_VERSION_3, 0), none), "giving up rights")


def _filter_calls() -> None:
    """From here on the kernel answers EPERM to a forbidden call, and to calls of another machine's kind."""
    machine = os.uname().machine
    if machine not in _FORBIDDEN:
        raise OSError(f"the system calls of {machine} are not known here")
    architecture, calls = _FORBIDDEN[machine]
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000 | 1  # 1 is EPERM
    rows = [(load, 0, 0, 4), (equal, 1, 0, architecture), (answer, 0, 0, refuse), (load, 0, 0, 0)]
    tests = [(at_least, 0x40000000), *((equal, number) for number in calls.values())]  # the first is x32
    rows += [(code, len(tests) - place, 0, number) for place, (code, number) in enumerate(tests)]
    rows += [(answer, 0, 0, allow), (answer, 0, 0, refuse)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in rows))
    head = struct.pack("@HP", len(rows), ctypes.addressof(program))
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, head, 0, 0), "filtering system calls")


def _rule(line: int, said: int, run: Callable[[], None]) -> None:
    """As process 1: start the student's process, bury the dead, and end with it, whereupon all others do."""
    readable_by_others(False)
    student = os.fork()
    if student == 0:
        with _last_words(said):
            os.setsid()
            readable_by_others(True)
            os.close(said)
            run()
    os.close(said)
    os.close(line)
    while True:
        process, status = os.wait()
        if process == student:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def how_it_ended(status: int) -> str:
    """A sentence about the wait status of a process 1."""
    code = os.waitstatus_to_exitcode(status)
    number = -code if code < 0 else code - 128
    if number == signal.SIGXCPU:
        return f"it used more than {CPU_SECONDS} seconds of computing time"
    if number == signal.SIGXFSZ:
        return f"it wrote a file of more than {FILE_BYTES // 2**20} MiB"
    if number in iter(signal.Signals):
        return f"it was ended by {signal.Signals(number).name}"
    return f"it ended itself with exit code {code}"


@contextlib.contextmanager
def _last_words(said: int):
    """Nothing returns from a process that was made here; its reason, if it has one, goes down the pipe."""
    try:
        yield
        os._exit(0)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(said, f"0 {error}".encode("utf-8", "replace")[:2000])
        os._exit(1)


def _close_all_but(*kept: int) -> None:
    at = 3
    for descriptor in sorted(kept):
        os.closerange(at, descriptor)
        at = descriptor + 1
    os.closerange(at, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _check(done: int, doing: str) -> None:
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{doing}: {os.strerror(number)}")
