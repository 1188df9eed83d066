"""The workbench: a place where people check documents, the most useful first.

A project is stored in one SQLite file, or in PostgreSQL (`store/`); what people do is an
append-only list of events (`events.py`), from which the state can be rebuilt at any time
(`record.py`); `desk.py` hands documents out and takes decisions in; `api/` and `pages.py` are how
people and programs reach it.
"""
