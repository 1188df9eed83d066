from __future__ import annotations

import numpy as np
import pytest

from satc.datasets.dataset import Document, Split, make_part, random_parts, train_and_test

SPLIT = Split(
    train=[Document("1", "a", ("b", "a")), Document("2", "b", ())],
    test=[Document("3", "c", ("a", "only-in-test")), Document("4", "d", ("only-in-test",))],
    records=4,
)


def test_only_classes_with_a_training_example_are_kept_in_sorted_order():
    train, test = train_and_test(SPLIT)
    assert train.classes == test.classes == ("a", "b")
    assert train.labels.tolist() == [[True, True], [False, False]]
    assert test.labels.tolist() == [[True, False], [False, False]]


def test_documents_keep_their_order_ids_and_texts():
    train, _ = train_and_test(SPLIT)
    assert (train.ids, train.texts, len(train)) == (("1", "2"), ("a", "b"), 2)


def test_label_names_of_a_document_come_in_the_order_of_the_classes():
    train, _ = train_and_test(SPLIT)
    assert train.label_names(0) == ("a", "b")
    assert train.label_names(1) == ()


def test_a_part_is_frozen_and_its_repr_does_not_show_the_texts():
    train, _ = train_and_test(SPLIT)
    with pytest.raises(AttributeError, match="cannot assign"):
        train.ids = ()
    assert repr(train) == "<Part: 2 documents, 2 classes>"


def whole(n: int):
    return make_part([Document(str(i), "", ("x",) if i % 3 else ()) for i in range(n)], ("x",))


@pytest.mark.parametrize(("n", "n_parts"), [(10, 10), (103, 10), (3299, 100)])
def test_random_parts_partition_the_whole_into_equal_sizes(n, n_parts):
    cut = random_parts(whole(n), n_parts, seed=0)
    assert sorted(int(i) for one in cut for i in one.ids) == list(range(n))
    sizes = {len(one) for one in cut}
    assert len(cut) == n_parts
    assert max(sizes) - min(sizes) <= 1


def test_random_parts_keep_labels_with_their_documents():
    for one in random_parts(whole(50), 7, seed=3):
        assert one.labels[:, 0].tolist() == [int(i) % 3 != 0 for i in one.ids]


def test_random_parts_depend_on_the_seed_alone():
    first, again, other = (random_parts(whole(50), 5, seed=s)[0].ids for s in (0, 0, 1))
    assert first == again
    assert first != other
    assert first != tuple(map(str, range(10)))


def test_take_follows_the_given_order():
    assert whole(5).take(np.array([4, 0])).ids == ("4", "0")
