"""The workbench: people check documents here, the most useful first.

`model/` says what a project consists of: its settings, the list of events, which only grows, and
the record that follows from the events. `store/` keeps all of it in a SQLite file or in PostgreSQL.
`project/` creates, opens and certifies a stored project. `review/` lets people work on it, and
`reports/` says what was done. `web/` serves people and programs over HTTP.
"""
