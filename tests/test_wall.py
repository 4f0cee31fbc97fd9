"""The wall, looked at from outside: what a submission can reach, what is left of it, and how it ends."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import NO_WALL, read, work_of
from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT

from autograder import bank, wall
from autograder.confined import ChildDied, Children
from autograder.doctor import behind
from autograder.loading import Work, open_confined
from autograder.notebook import Cell
from autograder.release import Refused, nbgrader
from autograder.runner import run_all

pytestmark = pytest.mark.skipif(bool(NO_WALL), reason=f"no wall here: {NO_WALL}")
GIVEN = str(bank.given_folder(ASSIGNMENT))


@pytest.fixture
def walled(children):
    """A warm process behind the wall, with a submission that has not done anything yet."""
    children.start(GIVEN)
    yield children
    children.stop()


def run(children: Children, source: str) -> dict:
    return children.ask("run_cell", {"label": "cell", "source": source})


def value(children: Children, source: str) -> object:
    """What an expression is inside; the exception's type and text when it raises."""
    answer = run(children, f"answer = {source}")
    if "error" in answer:
        return f"{answer['error']['type']}: {answer['error']['text']}"
    return children.ask("value", {"name": "answer"})["value"]


def outside(children: Children) -> list[int]:
    """The outside numbers of all processes behind the wall: first the zygote, then the submission's."""
    return behind(children.pid)


def status(process: int, key: str) -> list[str]:
    rows = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(row.split()[1:] for row in rows if row.startswith(f"{key}:"))


def grades_right(children: Children) -> bool:
    work = work_of("rmsnorm")
    results = run_all(bank.checks("rmsnorm"), open_confined(work, children))
    children.stop()
    return all(result.status == "passed" for result in results)


# -- who they are, seen from outside ------------------------------------------------------------------


def test_nothing_behind_the_wall_is_root_or_has_rights(walled):
    processes = outside(walled)
    assert len(processes) == 3, "the zygote, the submission's process 1, the student's process"
    expected = wall.NOBODY if os.getuid() == 0 else os.getuid()
    for process in processes:
        assert status(process, "Uid") == [str(expected)] * 4
        assert status(process, "Gid") == [str(expected if os.getuid() == 0 else os.getgid())] * 4
        assert int(status(process, "CapEff")[0], 16) == 0 or (process == processes[0] and os.getuid())
        assert status(process, "NoNewPrivs") == ["1"]
        assert status(process, "Threads") == ["1"]
    assert int(status(processes[-1], "CapEff")[0], 16) == 0
    assert int(status(processes[-1], "CapBnd")[0], 16) == 0


def test_every_submission_has_namespaces_of_its_own(walled):
    zygote, *submission = outside(walled)
    for kind in ("user", "pid", "mnt", "ipc", "net", "uts"):
        spaces = {process: os.readlink(f"/proc/{process}/ns/{kind}") for process in submission}
        assert len(set(spaces.values())) == 1
        assert os.readlink(f"/proc/{zygote}/ns/{kind}") not in spaces.values()
        assert os.readlink(f"/proc/self/ns/{kind}") not in spaces.values()


def test_the_environment_and_the_descriptors_are_empty(walled):
    student = outside(walled)[-1]
    names = {row.split("=")[0] for row in Path(f"/proc/{student}/environ").read_text().split("\0") if row}
    assert names <= set(wall._environment()) | {"PWD"}
    targets = [os.readlink(entry) for entry in Path(f"/proc/{student}/fd").iterdir()]
    assert sorted({target.split(":")[0] for target in targets}) == ["/dev/null", "socket"]
    assert sum(target.startswith("socket") for target in targets) == 1
    assert value(walled, "__import__('threading').active_count()") == 1
    assert value(walled, "torch.get_num_threads()" if run(walled, "import torch") == {} else "0") == 1


# -- what is out of reach -----------------------------------------------------------------------------


def test_other_processes_cannot_be_seen_opened_or_signalled(walled):
    run(walled, "import os, signal")
    assert value(walled, "sorted(int(p) for p in os.listdir('/proc') if p.isdigit())") == [1, 2]
    for process in (1, *outside(walled)[:2]):
        opened = value(walled, f"open('/proc/{process}/mem', 'r+b')")
        assert opened.startswith(("PermissionError", "FileNotFoundError")), opened
    assert value(walled, f"os.kill({outside(walled)[0]}, 0)").startswith("ProcessLookupError")
    assert value(walled, "os.kill(1, signal.SIGKILL)") is None  # the kernel drops it
    assert value(walled, "1 + 1") == 2
    assert value(walled, "os.kill(-1, 0)").startswith("ProcessLookupError")


def test_no_new_rights_can_be_had(walled):
    run(walled, "import ctypes, os; c = ctypes.CDLL(None, use_errno=True)")
    assert value(walled, "c.unshare(0x10000000)") == -1
    assert value(walled, "c.umount2(b'/proc', 2)") == -1
    assert value(walled, "c.mount(b'tmpfs', b'/scratch', b'tmpfs', 0, None)") == -1
    assert value(walled, "os.setuid(0)").startswith("OSError: [Errno 22]")  # there is no user 0 in there
    assert value(walled, "c.ptrace(16, 1, 0, 0)") == -1
    assert value(walled, "c.shmget(0, 4096, 0o600)") == -1
    assert value(walled, "os.memfd_create('x')").startswith("PermissionError")
    assert status(outside(walled)[-1], "Seccomp") == ["2"]


@pytest.mark.parametrize(
    "path",
    [
        Path(bank.__file__),
        ROOT / "autograder" / "test_rmsnorm.py",
        ROOT / "autograder",
        ROOT / "source",
        ROOT / "nbgrader_config.py",
        ROOT / "tests",
        Path("/etc/shadow"),
        Path("/etc/passwd"),
        Path.home(),
        Path("/var"),
    ],
    ids=str,
)
def test_the_course_and_the_machine_are_not_in_sight(walled, path):
    assert path.exists()
    told = value(walled, f"open({str(path)!r}).read()")
    assert told.startswith(("FileNotFoundError", "IsADirectoryError")), told
    if told.startswith("IsADirectoryError"):  # on the way to the interpreter: nothing else may be in it
        run(walled, "import os")
        inside = value(walled, f"os.listdir({str(path)!r})")
        shown = {Path(sys.prefix), Path(sys.base_prefix)}
        allowed = {
            place.relative_to(path).parts[0]
            for place in shown
            if place.is_relative_to(path) and place != path
        }
        assert set(inside) <= allowed, inside


def test_the_checks_cannot_be_imported(walled):
    run(walled, "import sys; sys.modules.pop('autograder', None)")
    for module in ("autograder.bank", "autograder.oracle", "autograder.test_rmsnorm"):
        assert value(walled, f"__import__({module!r})").startswith("ModuleNotFoundError")
    seen = value(
        walled, "[p for p in __import__('gc').get_objects() if type(p).__name__ in ('Check', 'Result')]"
    )
    assert seen == []


def test_the_given_helpers_are_there_without_the_notebooks(walled):
    run(walled, "import os, tiny_lm")
    assert value(walled, "os.listdir('/course/given')") == ["tiny_lm"]
    assert value(walled, "sorted(os.listdir('/course'))") == ["child", "given"]


def test_the_gradebook_and_other_submissions_are_not_in_sight(tmp_path, monkeypatch):
    (tmp_path / "submitted").mkdir()
    (tmp_path / "gradebook.db").write_text("marks")
    monkeypatch.chdir(tmp_path)
    children = Children()
    try:
        children.start(GIVEN)
        for path in (tmp_path / "gradebook.db", tmp_path / "submitted", tmp_path):
            assert value(children, f"open({str(path)!r})").startswith("FileNotFoundError")
    finally:
        children.close()


def test_a_course_that_stands_among_the_interpreters_files_is_hidden(tmp_path, monkeypatch):
    """As when the course was cloned into the folder of an environment."""
    inside = Path(sys.prefix) / "course-for-a-test"
    inside.mkdir()
    monkeypatch.chdir(inside)
    children = Children()
    try:
        (inside / "gradebook.db").write_text("marks")
        children.start(GIVEN)
        run(children, "import os")
        assert value(children, f"os.listdir({str(inside)!r})") == []
    finally:
        children.close()
        shutil.rmtree(inside)


def test_nothing_can_be_written_but_the_scratch_folder(walled):
    run(walled, "import os, tempfile")
    for folder in ("", "/tmp", "/usr", "/dev", "/course", "/course/child", sys.prefix):
        path = f"{folder}/written-{os.getpid()}"
        told = value(walled, f"open({path!r}, 'w')")
        # Errno 2: behind the wall the folder is not there at all, as /tmp is where no environment lies in it.
        assert told.startswith(("PermissionError", "OSError: [Errno 30]", "FileNotFoundError: [Errno 2]")), (
            told
        )
        assert not Path(path).exists()
    assert value(walled, "open('x', 'w').write('x')") == 1
    assert value(walled, "tempfile.mkstemp()[1].startswith('/scratch/')") is True


def test_the_network_is_out_of_reach(walled):
    import socket

    run(walled, "import socket")
    assert value(walled, "[name for _, name in socket.if_nameindex()]") == ["lo"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        told = value(walled, f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)")
        assert told.startswith("OSError"), told
    assert value(walled, "socket.create_connection(('1.1.1.1', 53), 2)").startswith("OSError")
    with socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0course-test")
        abstract.listen()
        told = value(walled, "socket.socket(socket.AF_UNIX).connect('\\0course-test')")
        assert told.startswith("ConnectionRefusedError"), told


# -- what is left -------------------------------------------------------------------------------------


def test_nothing_is_left_for_the_next_submission(walled):
    left = "for folder in ('/scratch', '/dev/shm'): open(f'{folder}/left', 'w').write('x')\n"
    left += "import tiny_lm; tiny_lm.x = 1"
    assert run(walled, left) == {}
    walled.stop()
    walled.start(GIVEN)
    run(walled, "import os, tiny_lm")
    assert value(walled, "os.listdir('/scratch') + os.listdir('/dev/shm') + os.listdir('.')") == []
    assert value(walled, "hasattr(tiny_lm, 'x')") is False


SURVIVOR = """
import os, signal, time
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            pass
    os._exit(0)
"""


def test_nobody_survives(walled):
    warm = outside(walled)[0]
    run(walled, SURVIVOR)
    assert len(outside(walled)) >= 4
    walled.stop()
    assert outside(walled) == [warm]
    run_again = value_after_start(walled)
    assert run_again == 2 and outside(walled)[0] == warm


def value_after_start(children: Children) -> object:
    children.start(GIVEN)
    return value(children, "1 + 1")


def test_when_the_grader_dies_everything_dies():
    source = (
        "import sys, time; from autograder.confined import Children; c = Children(); "
        f"c.start({GIVEN!r}); print(c.pid, flush=True); time.sleep(60)"
    )
    grader = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    first = int(grader.stdout.readline())
    processes = [first, *behind(first)]
    assert len(processes) == 4
    grader.kill()
    grader.wait()
    grader.stdout.close()
    until = time.monotonic() + 10
    while any(
        Path(f"/proc/{process}").exists() and status(process, "State") != ["Z"] for process in processes
    ):
        assert time.monotonic() < until, "somebody is still there"
        time.sleep(0.05)


# -- how it ends --------------------------------------------------------------------------------------

ENDINGS = {
    "exit": ("import os; os._exit(3)", "exit code 3"),
    "kill": ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
    "abort": ("import os; os.abort()", "SIGABRT"),
    "crash": ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    "closed line": ("import os; os.closerange(3, 99)\nwhile True: pass", "closed its line"),
    "garbage": (
        "import os\nfor n in range(3, 99):\n    try: os.write(n, b'x' * 99)\n    except OSError: pass",
        "no answer",
    ),
    "memory of many": (
        "import os, time\nfor _ in range(3): os.fork()\nx = b'x' * (400 * 2**20); time.sleep(25)",
        "GiB of memory",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDINGS)
def test_an_end_is_named_and_the_next_submission_is_graded(walled, name):
    source, reason = ENDINGS[name]
    with pytest.raises(ChildDied) as death:
        run(walled, source)
    assert reason in str(death.value)
    assert grades_right(walled)


ERRORS = {
    "exit": ("exit()", "SystemExit"),
    "memory": ("x = []\nwhile True: x.append(bytes(10**8))", "MemoryError"),
    "tensor": ("import torch; torch.zeros(10**12)", "RuntimeError"),
    "processes": ("import os\nwhile True: os.fork()", "BlockingIOError"),
    "threads": (
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()",
        "RuntimeError",
    ),
    "disk": (
        "f = [open(f'{n}', 'wb') for n in range(9)]\nfor g in f: g.write(bytes(2**24)); g.flush()",
        "OSError",
    ),
    "file": ("open('x', 'wb').write(bytes(2**27))", "OSError"),
    "files": ("x = [open('/dev/null') for _ in range(999)]", "OSError"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ERRORS)
def test_a_limit_is_an_error_with_a_name_and_the_next_submission_is_graded(walled, name):
    source, kind = ERRORS[name]
    assert run(walled, source).get("error", {}).get("type") == kind
    assert grades_right(walled)


@pytest.mark.slow
@pytest.mark.parametrize(
    "loop", ["while True: pass", "import os\nwhile True: os.write(1, b'x' * 10**6); print('x' * 10**6)"]
)
def test_an_endless_loop_ends(walled, loop):
    run(walled, f"def f():\n    {loop.replace(chr(10), chr(10) + '    ')}")
    class_of_it = "from torch import nn\nclass Loop(nn.Module):\n    def __init__(self): f()"
    assert run(walled, class_of_it) == {}
    begun = time.monotonic()
    answer = walled.ask("build", {"name": "Loop", "args": [], "kwargs": {}})
    assert answer["error"]["type"] == "TimeLimit" and time.monotonic() - begun < 13
    assert grades_right(walled)


@pytest.mark.slow
def test_a_loop_that_takes_no_signal_is_killed(walled):
    source = "import signal\nfrom torch import nn\nclass Loop(nn.Module):\n    def __init__(self):\n"
    source += "        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\n        while True: pass"
    run(walled, source)
    with pytest.raises(ChildDied, match="did not answer within"):
        walled.ask("build", {"name": "Loop", "args": [], "kwargs": {}})
    assert grades_right(walled)


@pytest.mark.slow
def test_all_of_a_submission_has_a_limit_too(children, monkeypatch):
    monkeypatch.setattr(wall, "SUBMISSION_SECONDS", 3.0)
    work = Work("rmsnorm", "rmsnorm.ipynb", [Cell("cell 1", "while True: pass", "own")])
    begun = time.monotonic()
    results = run_all(bank.checks("rmsnorm"), open_confined(work, children))
    assert time.monotonic() - begun < 8
    assert all(result.points == 0 for result in results)
    assert "more than 3 seconds" in results[-1].message
    children.stop()
    monkeypatch.undo()
    assert grades_right(children)


def test_who_speaks_without_being_asked_is_ended(walled):
    source = """
import os, threading, time
def speak():
    time.sleep(0.2)
    for descriptor in range(3, 99):
        try:
            os.write(descriptor, b"x")
        except OSError:
            pass
threading.Thread(target=speak, daemon=True).start()
"""
    assert run(walled, source) == {}
    time.sleep(0.6)
    with pytest.raises(ChildDied, match="without being asked"):
        run(walled, "pass")
    assert grades_right(walled)


# -- right work ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", NOTEBOOKS)
def test_the_solution_gets_full_marks_through_the_wall(children, exercise):
    results = run_all(bank.checks(exercise), open_confined(work_of(exercise), children))
    children.stop()
    assert {r.check.name: r.message for r in results if r.status != "passed"} == {}


@pytest.mark.slow
def test_compile_and_plots_just_run(walled):
    source = (
        "import torch, matplotlib.pyplot as plt\n"
        "@torch.compile\ndef twice(x):\n    return 2 * x\n"
        "x = torch.ones(3, requires_grad=True)\ntwice(x).sum().backward()\n"
        "module = torch.compile(torch.nn.Linear(3, 3)); module(x)\n"
        "plt.plot([1, 2]); plt.savefig('plot.png')"
    )
    assert run(walled, source) == {}
    assert value(walled, "x.grad.tolist()") == [2.0, 2.0, 2.0]


# -- without a wall -----------------------------------------------------------------------------------


def test_a_machine_without_namespaces_is_refused(monkeypatch):
    """As on a machine that forbids them: seen by the zygote, which is told to make none inside."""
    words = wall.command(GIVEN)
    boot = words.index("-c") + 1
    words[boot] = words[boot].replace(
        "import child.zygote;",
        "import child.zygote; cage._libc = type('L', (), "
        "{'prctl': cage._libc.prctl, 'unshare': lambda self, spaces: -1})();",
    )
    monkeypatch.setattr(wall, "command", lambda given: words)
    with pytest.raises(wall.NoWall, match="no namespaces of its own"):
        Children().start(GIVEN)


def test_a_zygote_that_was_killed_is_replaced(walled):
    os.kill(outside(walled)[0], 9)
    time.sleep(0.2)
    walled.stop()
    assert grades_right(walled)


@pytest.mark.slow
def test_autograde_refuses_without_a_wall(graded_course, tmp_path, monkeypatch):
    course = tmp_path / "course"
    shutil.copytree(graded_course, course)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with pytest.raises(Refused, match="Install bubblewrap"):
        nbgrader(course, "autograde", ASSIGNMENT, "--student", "ada", "--force")


def test_every_result_is_stamped_with_its_level(graded_course):
    for student in ("ada", "noor", "olga"):
        for path in (graded_course / "autograded" / student / ASSIGNMENT).glob("*.ipynb"):
            graded = [c for c in read(path)["cells"] if c["metadata"].get("nbgrader", {}).get("grade")]
            told = [
                "".join(c["outputs"][0]["data"]["text/plain"]) for c in graded if c["cell_type"] == "code"
            ]
            assert told and all(
                text.splitlines()[-1].startswith(f"({wall.level(walled=True)}, seed ") for text in told
            )
