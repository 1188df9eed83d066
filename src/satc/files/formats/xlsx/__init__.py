"""Spreadsheets in Excel's format ``.xlsx``: rows are read and written as streams.

The reader and the writer are ours, because the libraries for this format do not do what we need.
python-calamine reads whole sheets into memory, and openpyxl all texts of a file. Neither tells a
formula without a saved result from an empty cell, and openpyxl leaves escaped characters such as
``_x0001_`` as they are. XlsxWriter, when it streams, writes a text that begins with ``<r>`` and
ends with ``</r>`` as XML, does not escape every text so that it comes back, and cuts off the last
digit of a number. All three are used in the tests, which compare our files with theirs.
"""
