"""Names that were documented under other modules can still be imported from there."""

import satc.datasets.files
import satc.files
import satc.files.exchange
import satc.training
import satc.workbench.exchange


def test_the_readers_of_files_are_still_in_datasets():
    assert satc.datasets.files.__all__ == satc.files.__all__
    for name in satc.files.__all__:
        assert getattr(satc.datasets.files, name) is getattr(satc.files, name)


def test_the_exchange_is_still_in_the_workbench_under_its_former_names():
    former = {"Record": "ExportedDocument", "Finished": "ImportedDecision"}
    names = [former.get(name, name) for name in satc.workbench.exchange.__all__]
    assert sorted(names) == sorted(satc.files.exchange.__all__)
    for name in satc.workbench.exchange.__all__:
        found = getattr(satc.workbench.exchange, name)
        assert found is getattr(satc.files.exchange, former.get(name, name))


def test_a_training_table_is_the_public_training():
    assert satc.files.TrainingTable is satc.training.Training
