(() => {
  const { data, el, add, row } = page;
  el("title").textContent = data.title;
  el("subtitle").textContent = data.subtitle;
  for (const { title, words, tables } of data.sections) {
    const section = add(el("sections"), "section");
    add(section, "h2", title);
    for (const text of words) add(section, "p", text, "note");
    for (const { caption, head, rows } of tables) {
      const table = add(section, "table", undefined, "cards");
      add(table, "caption", caption);
      row(table, head.map((text) => [text, ""]), true);
      for (const cells of rows) row(table, cells.map((text) => [text, text === "missed" ? "missed" : ""]));
    }
  }
})();
