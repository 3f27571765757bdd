"""A rule from a workbook with other sheets and rows around the table. Needs nri[excel].

``nri predict rule.json visits.xlsx --out predicted.xlsx`` writes predictions back; its other cells stay.
"""

import tempfile
from pathlib import Path

import pandas as pd
from visits import draw_visits

from nri import induce_rule, read_table

path = Path(tempfile.mkdtemp()) / "visits.xlsx"
with pd.ExcelWriter(path) as writer:
    pd.DataFrame({"ward": ["north", "south"]}).to_excel(writer, sheet_name="Wards", index=False)
    draw_visits().to_excel(writer, sheet_name="Visits", startrow=2, index=False)

table = read_table(path, "flu", sheet="Visits")
print("rows:", len(table), "columns:", ", ".join(table.names))
print(induce_rule(table).rule)
