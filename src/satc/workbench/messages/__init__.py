"""The sentences of the pages, in several languages; a catalogue holds them by key."""

from satc.workbench.messages.languages import choose_language
from satc.workbench.messages.message import Message
from satc.workbench.messages.rendering import Messages

__all__ = ["Message", "Messages", "choose_language"]
