"""The warm process behind the outer wall: it has imported torch, holds no secret and runs no student's code.

It takes orders on a socket of its own, and each submission gets a line of its own to the grader, so that
nothing a submission says can be taken for the zygote's word. An order and its answer are one packet:

    b"S" + folder of the given helpers, with an end of the line   start a submission
    b"K"                                  end it, and say how it ended before, if it had
    b"Q"                                  say how it ended, if it did

and the answer is b"+" with a text, or b"-" with the reason why it cannot be done.
"""

import gc
import os
import select
import signal
import socket
import sys
from functools import partial

import torch

from . import cage
from .serve import serve

PACKET = 4096
_LOOK_SECONDS = 0.25


def main() -> None:
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    orders = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    sys.stdin = open(os.devnull)  # noqa: SIM115 -- stays open as long as the process
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    gc.freeze()  # what is here now is never moved or counted anew in the children
    _obey(orders)


def _obey(orders: socket.socket) -> None:
    orders.send(b"+ready")
    process, ended = 0, ""
    while True:
        waiting = select.select([orders], [], [], _LOOK_SECONDS if process else None)[0]
        if process:
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                process, ended = 0, cage.how_it_ended(status)
            elif _memory_of_others() > cage.MEMORY_OF_ALL_BYTES:
                _end(process)
                process, ended = 0, f"it used more than {cage.MEMORY_OF_ALL_BYTES // 2**30} GiB of memory"
        if not waiting:
            continue
        packet, lines, _, _ = socket.recv_fds(orders, PACKET, 1)
        order, text = packet[:1], packet[1:].decode("utf-8", "replace")
        if not order:
            return  # the grader is gone, and with this process everything in here
        answer = b"+"
        if order == b"S" and lines and not process:
            try:
                process, ended = cage.caged(lines[0], partial(_submission, lines[0], text)), ""
            except OSError as error:
                answer = b"-" + str(error).encode("utf-8", "replace")
        elif order in (b"K", b"Q"):
            if order == b"K" and process:
                _end(process)
                process = 0
            answer += ended.encode()
        else:
            answer = b"-not an order that can be obeyed now"
        for line in lines:
            os.close(line)
        orders.send(answer[:PACKET])


def _end(process: int) -> None:
    """Kill a namespace's process 1; when it is buried, every other process in there is dead."""
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def _memory_of_others() -> int:
    """Bytes of memory that the submission's processes hold; pages they share are counted once.

    The exact number is expensive, so it is only looked up when a simple sum is over the cap. A process
    that hides it is taken for the sole holder of all that it has.
    """
    page = os.sysconf("SC_PAGE_SIZE")
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    simple = {name: page * int((_read(f"/proc/{name}/statm") or "0 0").split()[1]) for name in others}
    if sum(simple.values()) <= cage.MEMORY_OF_ALL_BYTES:
        return sum(simple.values())
    exact = 0
    for name in others:
        shares = [row for row in _read(f"/proc/{name}/smaps_rollup").splitlines() if row.startswith("Pss:")]
        exact += 1024 * int(shares[0].split()[1]) if shares else simple[name]
    return exact


def _read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:  # it has ended in the meantime
        return ""


def _submission(line: int, given: str) -> None:
    with os.fdopen(line, "rb", closefd=False) as requests, os.fdopen(line, "wb", closefd=False) as answers:
        serve(given, requests, answers)
