"""The pytest door: options, the submission each check gets, and the table at the end.

pytest loads this plugin in every run; it does nothing unless checks of the course are collected, and it
imports torch only then.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
_bench = pytest.StashKey["Bench"]()
_result = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("autograder", "the checks of the course")
    group.addoption(
        "--submission", metavar="PATH", help="a notebook, a folder of notebooks or a .py file to check"
    )
    group.addoption("--report", metavar="FILE", help="write the results of all checks to a JSON file")


class Bench:
    """The submissions of this run, opened when they are first needed."""

    def __init__(self, path: str | None) -> None:
        from autograder.loading import default_path, find_work

        self.path = Path(path) if path else default_path()
        self.work = {work.exercise: work for work in find_work(self.path)}
        self._opened: dict[str, Any] = {}
        self._results: dict[str, dict[str, Any]] = {}

    def submission(self, exercise: str) -> Any:
        from autograder.loading import open_here

        if exercise not in self._opened:
            self._opened[exercise] = open_here(self.work[exercise])
        return self._opened[exercise]

    def result(self, check: Any) -> Any:
        """The result of a check; all of an exercise are run together, as they explain each other."""
        from autograder import bank, runner
        from autograder.loading import checks_for

        work = self.work[check.exercise]
        if check.exercise not in self._results:
            if work.problem:
                results = runner.without_submission(bank.checks(check.exercise), work.problem)
            else:
                submission = self.submission(check.exercise)
                results = runner.run_all(checks_for(work, submission), submission)
            self._results[check.exercise] = {result.check.name: result for result in results}
        return self._results[check.exercise][check.name]

    def applies(self, check: Any) -> bool:
        from autograder.loading import checks_for

        work = self.work.get(check.exercise)
        if work is None:
            return False
        return work.whole or check in checks_for(work, self.submission(check.exercise))


def _checks_of(item: pytest.Item) -> bool:
    return item.path.parent == HERE and hasattr(getattr(item, "function", None), "graded")


def _check(item: pytest.Function) -> Any:
    from autograder import bank

    return bank.as_check(item.path.stem.removeprefix("test_"), item.function)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not any(_checks_of(item) for item in items):
        return
    from autograder import bank
    from autograder.notebook import Unreadable

    try:
        bench = config.stash[_bench] = Bench(config.getoption("--submission"))
    except Unreadable as error:
        raise pytest.UsageError(str(error)) from None
    config.option.reportchars = ""  # the table at the end says it shorter
    order = bank.exercises()
    kept = [item for item in items if not _checks_of(item) or bench.applies(_check(item))]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = sorted(kept, key=lambda item: order.index(_check(item).exercise) if _checks_of(item) else -1)


@pytest.fixture
def submission(request: pytest.FixtureRequest) -> Any:
    """What a check takes; `pytest_pyfunc_call` hands it the submission of its exercise."""
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a check as the other doors run it, and keep its result."""
    if not _checks_of(pyfuncitem) or _bench not in pyfuncitem.config.stash:
        return None
    result = pyfuncitem.stash[_result] = pyfuncitem.config.stash[_bench].result(_check(pyfuncitem))
    if result.status == "not_attempted":
        pytest.skip(result.message)
    if result.status != "passed":
        pytest.fail(f"{result.check.title}\n\n{result.message}", pytrace=False)
    return True


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    results = _results(session.items) if hasattr(session, "items") else []
    if not results:
        return
    if exitstatus == pytest.ExitCode.OK and any(result.status != "passed" for result in results):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED  # only full marks are a success
    if report := session.config.getoption("--report"):
        Path(report).write_text(
            json.dumps([result.as_json() for result in results], indent=1) + "\n", "utf-8"
        )
    session.config.stash[_result] = results


def _results(items: list[pytest.Item]) -> list[Any]:
    return [item.stash[_result] for item in items if _result in item.stash]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    results = config.stash.get(_result, [])
    if not results:
        return
    terminalreporter.section("the course")
    for line in table(results, config.stash[_bench]):
        terminalreporter.write_line(line)


def table(results: list[Any], bench: Bench) -> Iterator[str]:
    """Points by exercise, and the next step."""
    width = max(len(result.check.exercise) for result in results)
    next_step = ""
    for exercise in dict.fromkeys(result.check.exercise for result in results):
        rows = [result for result in results if result.check.exercise == exercise]
        earned, most = sum(row.points for row in rows), sum(row.check.points for row in rows)
        open_rows = [row for row in rows if row.status != "passed"]
        state = _state(rows, bench.work[exercise])
        yield f"{exercise:<{width}}  {earned:5.4g} of {most:<4g} points  {state}"
        if open_rows and not next_step:
            next_step = _next_step(open_rows, bench.work[exercise])
    yield ""
    yield next_step or "Everything passes. Every check of this run has its points."


def _state(rows: list[Any], work: Any) -> str:
    if work.problem:
        return "no submission"
    if all(row.status == "not_attempted" for row in rows):
        return "not started"
    missing = [row for row in rows if row.status != "passed"]
    return "done" if not missing else f"{len(missing)} of {len(rows)} checks to go"


def _next_step(open_rows: list[Any], work: Any) -> str:
    if work.problem:
        return f"Next: {work.problem}"
    first = open_rows[0]
    if first.status == "not_attempted":
        return f"Next: open {work.where} and write {first.check.about}."
    return f"Next: {work.where}, “{first.check.title}” (group {first.check.group})."
