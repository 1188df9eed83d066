"""The table of all documents of a project: filters, search, order, and what each person may see."""
