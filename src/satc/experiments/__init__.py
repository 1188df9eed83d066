"""Experiments: the protocol of the paper, its published figures, and ours for comparison.

* `scores`: scores of a dataset by a learner, with a cache.
* `protocol`: runs every method on every test set.
* `published`: the figures of the paper, as data.
* `tables`, `report`: the tables of the paper with both figures, as Markdown, HTML and JSON.
* `ablation`: the effect of each ingredient of the contextual method.
* `savings`, `savings_page`: how many documents each order needs to reach an accuracy.
"""
