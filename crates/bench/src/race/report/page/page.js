// The page: what the run has found, from the data that it carries.

const report = JSON.parse(document.getElementById("data").textContent);
const table = document.createElement("table");
for (const { suite, query, entries } of report.queries) {
  for (const { contestant, absent, points } of entries) {
    const row = table.insertRow();
    const rates = points.map((point) => format(point.requests_per_second?.median));
    for (const text of [suite, query, contestant, absent ?? rates.join(", ")]) {
      row.insertCell().textContent = text;
    }
  }
}
document.body.append(table);
