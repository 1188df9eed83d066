"""Plugins: learners, measures, methods and formats of other installed packages.

A package offers them as entry points (``satc.learners``, ``satc.measures``, ``satc.methods``,
``satc.formats``). Nothing of a package is imported until one of its names is asked for. A plugin
that is broken can be named in an error, but does not affect any other name.

* `kinds`: the four kinds, and their groups of entry points.
* `installed`: the plugins that the installed packages offer.
* `table`: `PluginTable`: the plugins of one kind by name, loaded and checked on first use.
* `contracts`: what a plugin of each kind must do, checked when it is loaded.
"""
