"""What managers see and do: who does how much, open documents, classes that need attention."""
