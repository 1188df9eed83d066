"""Arrays that users pass: columns with names, and extreme magnitudes."""
