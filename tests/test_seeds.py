"""The course's secret seed is made once, whole, and never taken from a file that holds none."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from autograder.seeds import FILE, LETTERS, secret


def test_it_is_made_on_first_use_and_kept(tmp_path):
    seed = secret(tmp_path)
    assert len(seed) == LETTERS and secret(tmp_path) == seed
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_many_at_once_get_the_same(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(secret, [tmp_path] * 64))) == 1
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_only_its_owner_may_read_it(tmp_path):
    secret(tmp_path)
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "\n", "short"])
def test_a_file_without_a_seed_is_refused(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ValueError, match="secret seed"):
        secret(tmp_path)
