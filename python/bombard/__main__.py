"""`python -m bombard` runs the program `bombard`."""

from .program import main

main()
