"""A report: one page that opens offline, prints well, and says how far the rule can be trusted."""

from pathlib import Path

from visits import draw_visits

from nri import NRIClassifier, ReportOptions, write_report

visits = draw_visits(150)
features, flu = visits.drop(columns="flu"), visits["flu"]
classifier = NRIClassifier().fit(features, flu)

# clinical=True puts "not validated for decisions" at the top; fewer samples make it quicker
options = ReportOptions(title="Flu in our practice", clinical=True, samples=5)
write_report(classifier, features, flu, "report.html", options=options)
print("wrote report.html,", Path("report.html").stat().st_size // 1024, "KB")
