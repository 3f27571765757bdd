"""Networks: tensors only, no tables and no column names."""
