"""Field types that several resources share, and the bodies of errors and empty responses."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _check_storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not hold NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be text, without half a surrogate pair") from None
    return text


StorableText = Annotated[str, AfterValidator(_check_storable)]
Label = Annotated[int, Field(ge=0, lt=2**31)]


class RequestModel(BaseModel):
    """A request body: unknown fields and other types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Problem(BaseModel):
    """An error: `detail` says in one sentence what is wrong."""

    detail: str


class Nothing(BaseModel):
    """An empty response: the request was carried out."""
