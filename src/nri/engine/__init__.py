"""Tables of any size: an engine that holds the rows answers questions about all of them.

Nothing here holds all rows. A sample of them is searched as any table is; then every count, every choice
among candidates and every cut is settled on all rows by histograms, which are tables with weights. See
docs/size.md.
"""
