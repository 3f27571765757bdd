"""Tables made of rows, and nothing but rows."""
