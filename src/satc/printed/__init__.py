"""Pages that people save and print: one design, in one file each, without scripts."""
