"""Roles of people who come by the company's login: from the groups that they are in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from satc.inputs import choice
from satc.workbench.web.access.accounts import ROLES

NOBODY = "none"


@dataclass(frozen=True)
class RoleMapping:
    """The roles of groups, and the role of people who are in none of these groups.

    >>> mapping = RoleMapping({"leads": "manager", "staff": "annotator"}, default=None)
    >>> mapping.role_of(["staff", "leads"]), mapping.role_of(["staff"]), mapping.role_of([])
    ('manager', 'annotator', None)

    Attributes
    ----------
    groups
        The role of each group. If there are any, they decide at each login; otherwise managers do.
    default
        The role of everybody else; None: they are refused, unless they are users already and no
        groups decide.
    """

    groups: Mapping[str, str] = field(default_factory=dict)
    default: str | None = "annotator"

    @property
    def decides(self) -> bool:
        """Whether the groups decide on roles, not the managers."""
        return bool(self.groups)

    def role_of(self, groups: Collection[str]) -> str | None:
        """Return the highest role that the groups of a person give; None means none."""
        found = {self.groups[group] for group in groups if group in self.groups}
        return max(found, default=self.default, key=list(ROLES).index)


def read_mapping(given: Collection[str], default: str) -> RoleMapping:
    """Read pairs such as ``leads=manager``, and the role of everybody else.

    >>> read_mapping(["cn=leads=manager"], "none")
    RoleMapping(groups={'cn=leads': 'manager'}, default=None)

    Raises
    ------
    ValueError
        If a pair has no role, or a role is unknown.
    """
    groups = {}
    for pair in given:
        group, sign, role = pair.rpartition("=")
        if not sign or not group:
            raise ValueError(f"--role-mapping must be GROUP=ROLE, but is {pair!r}")
        choice(role, ROLES, "--role-mapping")
        groups[group] = role
    choice(default, {**ROLES, NOBODY: "may not log in"}, "--default-role")
    return RoleMapping(groups, None if default == NOBODY else default)
