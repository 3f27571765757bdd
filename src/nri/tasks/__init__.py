"""Everyday tasks on top of induction: each is one file here and one command on the command line."""
