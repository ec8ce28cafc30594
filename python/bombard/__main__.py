"""`python -m bombard` is the program `bombard`."""

from .program import main

main()
