"""Suggestions of Annif, the subject indexing program of the National Library of Finland.

* `folder`: files with the suggestions for one document each, alone or in a folder.
* `suggestions`: suggestions as predictions.
"""
