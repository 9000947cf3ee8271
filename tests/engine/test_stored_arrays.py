"""Arrays of players in the files of a bundle: what is read of them, and what is refused."""

from contextlib import nullcontext

import numpy as np
import pytest

from quizwriter.engine.stored_arrays import LARGEST_VALUE, PLAYER_ARRAYS, StoredArray, StoredWeights
from quizwriter.system.decoding import DecodingError

TABLE = np.arange(-60, 60, dtype=np.int8).reshape(60, 2)


def stored(folder, name, values):
    path = folder / f"{name}.npy"
    np.save(path, values)
    with path.open("rb") as file:
        return StoredArray(file, PLAYER_ARRAYS[name])


@pytest.fixture(params=["C", "F"])
def weights(request, tmp_path):
    array = stored(tmp_path, "vectors", np.array(TABLE, order=request.param))
    return StoredWeights({"vectors": array}, lambda name: nullcontext())


@pytest.mark.parametrize("wanted", [[], [7], [7, 3, 7, 59], [3, 0], range(60)])
def test_rows_are_those_of_the_whole_array(weights, wanted):
    numbers = np.asarray(wanted, np.int64)

    for _ in range(2):  # from the file, and from what was read
        assert weights.rows("vectors", numbers).tolist() == TABLE[numbers].tolist()
    assert weights["vectors"].tolist() == TABLE.tolist()
    assert weights.rows("vectors", numbers).tolist() == TABLE[numbers].tolist()


def test_a_row_that_was_read_stays_and_a_row_that_is_gone_is_refused(weights, tmp_path):
    weights.rows("vectors", np.asarray([58]))
    with (tmp_path / "vectors.npy").open("r+b") as file:
        file.truncate(128)

    assert weights.rows("vectors", np.asarray([58])).tolist() == [TABLE[58].tolist()]
    with pytest.raises(DecodingError):
        weights.rows("vectors", np.asarray([59]))


def test_a_row_that_is_not_there_is_an_error(weights):
    with pytest.raises(IndexError):
        weights.rows("vectors", np.asarray([60]))


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, LARGEST_VALUE + 8, -LARGEST_VALUE - 8])
def test_a_weight_that_is_too_large_or_no_number_is_refused(tmp_path, kind, value):
    with pytest.raises(DecodingError, match="out of its range"):
        stored(tmp_path, "biases", np.asarray([1, value, 0], kind)).whole()


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_the_largest_weights_are_read(tmp_path, kind):
    values = np.asarray([LARGEST_VALUE, -LARGEST_VALUE, -0.0], kind)

    assert stored(tmp_path, "biases", values).whole().tolist() == values.tolist()
    assert stored(tmp_path, "biases", values[:0]).whole().tolist() == []


def test_a_file_with_holes_is_not_read_into_memory(tmp_path):
    path, count = tmp_path / "scales.npy", 4 << 30
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (count,)}
        )
        file.truncate(file.tell() + 4 * count)
    with path.open("rb") as file:
        array = StoredArray(file, PLAYER_ARRAYS["scales"])

    with pytest.raises(DecodingError, match="it has more than 400 MB"):
        array.whole()
    assert (
        PLAYER_ARRAYS["embeddings"].most_bytes > 400_000 * 4_096
    )  # of as many passages, by the widest encoder


def test_an_axis_of_more_than_any_memory_is_refused_even_without_values(tmp_path):
    path = tmp_path / "vectors.npy"
    with path.open("wb") as file:
        about = {"descr": "|i1", "fortran_order": False, "shape": (2**62, 0)}
        np.lib.format.write_array_header_1_0(file, about)
    with path.open("rb") as file, pytest.raises(DecodingError, match="more or fewer bytes"):
        StoredArray(file, PLAYER_ARRAYS["vectors"])
    assert stored(tmp_path, "vectors", np.zeros((0, 300), np.int8)).whole().shape == (0, 300)
