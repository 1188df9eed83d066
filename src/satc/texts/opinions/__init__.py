"""Further opinions on documents from users' files: other classifiers, language models, people."""
