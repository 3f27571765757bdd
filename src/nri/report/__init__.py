"""The report: one page about a rule, how good it is and how far it can be trusted, in one offline file."""

from nri.report.gather import gather_report, steps_of
from nri.report.page import render_report, report_on, write_report
from nri.report.records import Report, ReportOptions

__all__ = [
    "Report",
    "ReportOptions",
    "gather_report",
    "render_report",
    "report_on",
    "steps_of",
    "write_report",
]
