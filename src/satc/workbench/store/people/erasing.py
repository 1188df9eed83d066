"""Erase a person's name from a store: a pseudonym takes its place, and the chain still holds.

The salts that prove the name are deleted, so that nobody can find the name from what is left. The
user's own data, that is documents, classes and settings, are not searched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from time import sleep
from typing import Any, NamedTuple

from sqlalchemy import delete, select, update

from satc.errors import DataError
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, StoreError, Transaction
from satc.workbench.store.digests.free_texts import KEYS, with_text
from satc.workbench.store.digests.persons import pseudonym, read_persons

_ATTEMPTS, _PAUSE_SECONDS = 50, 0.1
ERASED = "erased person"  # where the record has no pseudonym for the name
# The columns in which a person's name can be; the other tables hold the user's own data.
COLUMNS = (
    schema.events.c.who,
    schema.events.c.details,
    schema.persons.c.name,
    schema.leases.c.who,
    schema.users.c.name,
    schema.users.c.subject,
    schema.members.c.user,
    schema.tokens.c.user,
    schema.invitations.c.name,
    schema.invitations.c.invited_by,
    schema.webhooks.c.created_by,
    schema.webhook_outbox.c.body,
    schema.webhook_outbox.c.error,
)


class Erasure(NamedTuple):
    """What was replaced: the pseudonym of each project in which the person was, and counts."""

    pseudonyms: dict[str, str]
    n_events: int
    n_texts: int  # notes, and names of imported files
    n_other_rows: int  # accounts, leases and invitations


def erase_person(store: Store, name: str) -> Erasure:
    """Replace a name in the record, and delete the person's account.

    The caller has locked the store: a server would go on with the name.

    Raises
    ------
    DataError
        If nobody of this name is in the store.
    """
    with store.writing() as connection:
        if store.is_sqlite:
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
        done = _erase(connection, name)
        if not (done.pseudonyms or done.n_texts or done.n_other_rows):
            raise DataError(_unknown(connection, name))
    _clean_free_space(store)
    return done


def _erase(connection: Transaction, name: str) -> Erasure:
    pseudonyms: dict[str, str] = {}
    n_events = n_texts = 0
    projects = schema.projects
    for key, title in connection.execute(select(projects.c.key, projects.c.name)).all():
        if (found := _pseudonym(connection, key, name)) is not None:
            pseudonyms[title] = found
            n_events += _rename(connection, key, name, found)
        n_texts += _erase_from_texts(connection, key, name, found or ERASED)
    return Erasure(pseudonyms, n_events, n_texts, _erase_elsewhere(connection, name))


def _pseudonym(connection: Transaction, project: int, name: str) -> str | None:
    """Return the pseudonym for a person of a project's record; None if they are not in it."""
    persons = read_persons(connection, project)
    if name not in persons:
        return None
    taken = {*persons, *connection.execute(select(schema.users.c.name)).scalars()}
    return pseudonym(persons[name].commitment, taken)


def _rename(connection: Transaction, project: int, name: str, found: str) -> int:
    """Replace the author of events, and delete the salt; return how many events there are."""
    persons, events = schema.persons, schema.events
    person = update(persons).where(persons.c.project == project, persons.c.name == name)
    connection.execute(person.values(name=found, salt=None))
    theirs = update(events).where(events.c.project == project, events.c.who == name)
    return int(connection.execute(theirs.values(who=found)).rowcount)


def _erase_from_texts(connection: Transaction, project: int, name: str, found: str) -> int:
    """Replace the name in notes and other free texts; return how many there are."""
    table = schema.events
    query = select(table.c.number, table.c.details, table.c.free_texts)
    query = query.where(table.c.project == project, table.c.free_texts.is_not(None))
    n_texts = 0
    for number, details, seals in connection.execute(query).all():
        texts = dict(_replaced(details, name, found))
        if not texts:
            continue
        for key, text in texts.items():
            seals = with_text(seals, key, str(details[key]), text)
        own = update(table).where(table.c.project == project, table.c.number == number)
        connection.execute(own.values(details={**details, **texts}, free_texts=seals))
        n_texts += len(texts)
    return n_texts


def _replaced(details: dict[str, Any], name: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield the free texts in which the name stands as a word, without it.

    >>> dict(_replaced({"note": "Ask ANN, not Annette", "of": 3}, "ann", "person-7f3a"))
    {'note': 'Ask person-7f3a, not Annette'}
    """
    word = re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", re.IGNORECASE)
    for key in KEYS:
        if key in details and word.search(str(details[key])):
            yield key, word.sub(lambda _: found, str(details[key]))


def _erase_elsewhere(connection: Transaction, name: str) -> int:
    """Delete the account, leases and invitations of a person; replace the name in what is left."""
    users, leases, invitations = schema.users, schema.leases, schema.invitations
    is_unused = invitations.c.used_at.is_(None)
    statements = (
        delete(users).where(users.c.name == name),
        delete(leases).where(leases.c.who == name),
        delete(invitations).where(invitations.c.name == name),
        delete(invitations).where(invitations.c.invited_by == name, is_unused),
    )
    n_rows = sum(connection.execute(statement).rowcount for statement in statements)
    inviter = update(invitations).where(invitations.c.invited_by == name)
    n_rows += connection.execute(inviter.values(invited_by=ERASED)).rowcount
    return n_rows + _erase_from_webhooks(connection, name)


def _erase_from_webhooks(connection: Transaction, name: str) -> int:
    """Replace the name in webhooks; delete messages with the name, those that wait as well."""
    webhooks, outbox = schema.webhooks, schema.webhook_outbox
    creator = update(webhooks).where(webhooks.c.created_by == name)
    n_rows = int(connection.execute(creator.values(created_by=ERASED)).rowcount)
    word = json.dumps(name, ensure_ascii=False)
    has_name = outbox.c.body.contains(word, autoescape=True)
    return n_rows + int(connection.execute(delete(outbox).where(has_name)).rowcount)


def _unknown(connection: Transaction, name: str) -> str:
    persons = connection.execute(select(schema.persons.c.name).distinct()).scalars()
    users = connection.execute(select(schema.users.c.name)).scalars()
    known = ", ".join(sorted({*persons, *users})) or "nobody"
    return f"the record must have a person {name!r}, but has {known}"


def _empty_log(connection: Transaction, location: str) -> None:
    """Remove the name from SQLite's write-ahead log; wait for processes that still read it."""
    for _ in range(_ATTEMPTS):
        is_busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        if not is_busy:
            return
        sleep(_PAUSE_SECONDS)
    raise StoreError(
        f"{location}: the name is erased from the record, but another process still reads the "
        f"file, so {location}-wal can have the name until that process ends"
    )


def _clean_free_space(store: Store) -> None:
    """Rewrite the tables, so that the name is not in the space that deleted rows have left."""
    if store.is_sqlite:
        with store.reading() as connection:
            connection.exec_driver_sql("VACUUM")
            _empty_log(connection, store.location)
        return
    with store.reading() as connection:
        plain = connection.execution_options(isolation_level="AUTOCOMMIT")
        for table in sorted({column.table.name for column in COLUMNS}):
            plain.exec_driver_sql(f"VACUUM FULL {table}")
