"""`satc rank`: which documents to check first."""

from __future__ import annotations

from satc.cli import options


def rank(
    scores: options.ScoresFile = None,
    oof_scores: options.OofScoresFile = None,
    train_labels: options.TrainLabelsFile = None,
    method: options.Method = "contextual",
    measure: options.Measure = "f1",
    average: options.Average = "macro",
    top: options.Top = None,
    seed: options.Seed = 0,
    output: options.Output = None,
    as_json: options.AsJson = False,
) -> None:
    """Rank documents: those whose check is expected to raise the measure most come first.

    Example: satc rank --scores test.npy --oof-scores oof.npy --train-labels train.npz -o ranked.csv
    """
    from satc.cli.show import print_json, print_rows, write_columns
    from satc.ranking import rank as rank_documents

    files = options.read_score_files(scores, oof_scores, train_labels)
    ranking = rank_documents(
        files.scores,
        **files.training,
        method=method,
        measure=measure,
        average=average,
        random_state=seed,
    )
    chosen = ranking.order[:top].tolist()
    columns = {
        "rank": list(range(1, len(chosen) + 1)),
        "document": [i if files.ids is None else files.ids[i] for i in chosen],
        "utility": [float(ranking.utility[i]) for i in chosen],
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if output is not None:
        write_columns(output, columns)
    elif as_json:
        print_json(rows)
    else:
        shown = rows if top is not None else rows[:20]
        print_rows([{**row, "utility": f"{row['utility']:.6g}"} for row in shown])
        if len(shown) < len(rows):
            from satc.cli.show import complain

            complain(f"and {len(rows) - len(shown):,} more: -o FILE writes all, --top N shows more")
