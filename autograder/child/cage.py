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
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522
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
            _rule(line, said, run)
    os.write(said, b"%d " % process)


def _furnish() -> None:
    """Private mounts: nothing that is written in here is seen outside or stays."""
    _check(_libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None), "making mounts private")
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
