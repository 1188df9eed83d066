"""Labels in the shapes that files have them: in one cell, in several, or a column per class."""
