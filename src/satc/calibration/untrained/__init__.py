"""Opinions of which no training documents are known, such as the labels of a language model.

* `levels`: an opinion as one of a few levels.
* `agreement`: what it is worth, learnt from how it agrees with probabilities.
* `calibrator`: a calibrator whose probabilities then hear these opinions.
"""
