"""The command line: it wires the parts together and computes nothing."""
