"""The evidence: data sets, protocols, rivals, experiments, tables and figures behind ``nri bench``."""
