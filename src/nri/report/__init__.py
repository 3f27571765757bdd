"""The report: one page about a rule, how good it is and how far it can be trusted, in one offline file."""

from nri.report.gather import Report, ReportOptions, gather_report, steps_of
from nri.report.page import render_report, report_on, write_report

__all__ = ["Report", "ReportOptions", "gather_report"]
__all__ += ["render_report", "report_on", "steps_of", "write_report"]
