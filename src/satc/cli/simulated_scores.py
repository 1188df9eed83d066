"""Read scores and true labels for `satc simulate --scores` and `satc compare --scores`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satc.cli.score_files import ScoreFiles
    from satc.cli.simulated_options import SimulatedOptions
    from satc.inputs import Labels


def read_simulated_scores(given: SimulatedOptions) -> tuple[ScoreFiles, Labels, str]:
    """Return scores and training side, true labels, and the task, which is said."""
    from satc.cli.found_task import task_of_simulation
    from satc.cli.score_files import (
        read_feature_files,
        read_opinion_files,
        read_score_files,
        read_true_labels,
    )
    from satc.files.matrices import refuse_without_signs

    wanted, columns, scores = given.wanted(), given.names(), given.scores
    files = read_score_files(scores, *given.training, wanted.none_class, **columns.as_dict())
    known = read_feature_files(given, files, columns.id_column)
    known |= read_opinion_files(given.opinions(), files, wanted, columns)
    files = files._replace(training=files.training | known)
    truth = read_true_labels(given.labels, scores, wanted.none_class, **columns.as_dict())
    read = {given.labels: truth, given.train_labels: files.training.get("y_train")}
    task = task_of_simulation(read, wanted, **columns.as_dict())
    refuse_without_signs(files.scores, scores, task)
    return files, truth, task
