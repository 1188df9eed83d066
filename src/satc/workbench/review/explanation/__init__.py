"""Why a document is next, what opinions say about it, and similar labelled documents."""
