"""Evidence: data sets, protocols, methods, result rows, tables and figures."""
