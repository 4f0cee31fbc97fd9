"""The process at the other end of the pipe: warm, and forked for each submission where that is possible."""

import os
import sys
from typing import BinaryIO

import torch

from .host import Host
from .wire import WireError, read_frame, write_frame


def main() -> None:
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    os.environ["TORCHDYNAMO_DISABLE"] = (
        "1"  # torch.compile in a submission just runs: there is no compiler here
    )
    requests, answers = _private_pipes()
    while True:
        try:
            message = read_frame(requests)
        except (EOFError, WireError):
            return
        if "start" not in message:  # the submission's process ended by itself before this question came
            write_frame(answers, {} if "stop" in message else {"ended": True})
            continue
        if not hasattr(os, "fork"):
            serve(message["start"], requests, answers)
            continue
        process = os.fork()
        if process == 0:
            asked_to_stop = serve(message["start"], requests, answers)
            os._exit(0 if asked_to_stop else 1)
        if os.waitpid(process, 0)[1] != 0:
            write_frame(answers, {"ended": True})


def serve(given: str, requests: BinaryIO, answers: BinaryIO) -> bool:
    """Answer questions about one submission until told to stop; False when the other side is gone."""
    host, owner = Host(given=given), os.getpid()
    write_frame(answers, {})
    while True:
        try:
            message = read_frame(requests)
        except (EOFError, WireError):
            return False
        if "stop" in message:
            write_frame(answers, {})
            return True
        answer = host.answer(message["op"], message["arguments"])
        if os.getpid() != owner:
            os._exit(1)  # a copy that the student's code made of this process: only one may answer
        try:
            write_frame(answers, answer)
        except WireError as error:
            text = f"the answer cannot be compared: {error}"
            write_frame(answers, {"error": {"type": "ValueError", "text": text, "stub": False}})


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes on numbers of their own, and nothing for the student's code to read or print to by accident."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    sys.stdin = open(os.devnull)  # noqa: SIM115 -- stays open as long as the process
    return requests, answers
