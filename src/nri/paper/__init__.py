"""The paper's model: a network fills clause slots, and the slots become a rule."""
