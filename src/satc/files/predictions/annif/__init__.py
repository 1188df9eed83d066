"""Suggestions of Annif, the subject indexing program of the National Library of Finland.

* `folder`: a folder with a file for each document, as ``annif index`` writes it.
* `suggestions`: suggestions as predictions.
"""
