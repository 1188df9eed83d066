"""`python -m satc` is the command `satc`."""

from satc.cli import main

if __name__ == "__main__":
    main()
