"use strict";
// Tables that sort: a click on a heading, again for the other way round. Numbers by data-v, words by their text; missing last.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      const key = (row) => {
        const cell = row.cells[column];
        if (!("v" in cell.dataset)) return cell.textContent;
        return cell.dataset.v === "" ? null : Number(cell.dataset.v);
      };
      const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        const order = typeof a === "number" && typeof b === "number" ? a - b
          : String(a).localeCompare(String(b), "en", { numeric: true });
        return down ? -order : order;
      });
      table.tBodies[0].append(...rows.map(([, row]) => row));
      headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
// A field above a table shows the rows that contain all of its words.
for (const field of document.querySelectorAll("input[data-filters]")) {
  const rows = [...document.getElementById(field.dataset.filters).tBodies[0].rows];
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
}
