(() => {
  const { data, el, make, add, tip, number, length, row, legend, colours, names, niceStep } = page;
  const policies = data.policies;
  const palette = ["#2f7ed8", "#c46200", "#2b8f48", "#c43b7d", "#7b61d1", "#0b8290"];
  const infinite = (v) => v === "inf" ? Infinity : v;
  const value = (p, metric) => { const m = p.metrics[metric]; return m ? infinite(m[0]) : null; };
  const bounds = (p, metric) => { const m = p.metrics[metric]; return m && m.length > 1 ? [infinite(m[1]), infinite(m[2])] : null; };
  const shown = (v, metric) => {
    if (v === null) return "\u2013";
    if (v === Infinity) return "\u221e";
    const digits = metric.unit === "s" && v >= 100 ? 0 : metric.decimals;
    return number(v, digits);
  };
  const metricNamed = (name) => data.metrics.find((m) => m.name === name);
  // Rounded down, and never all: a probability from resamples is not certain.
  const percent = (p) => {
    const digits = p > 0.99 ? 1 : 0, scale = 10 ** digits;
    return `${number(Math.floor(Math.min(99.9, p * 100) * scale + 1e-6) / scale, digits)} %`;
  };
  // A figure's row [value] or [value, low, high] as a cell, with its interval below.
  const figure = (tr, f, metric, cls, label) => {
    const td = add(tr, "td", f ? shown(infinite(f[0]), metric) : "\u2013", cls);
    td.dataset.label = label;
    if (f && f.length > 1 && f[1] !== "inf") add(td, "span", `${shown(infinite(f[1]), metric)} \u2013 ${shown(infinite(f[2]), metric)}`, "ci");
    return td;
  };
  const cell = (tr, text, cls, label) => { const td = add(tr, "td", text, cls); td.dataset.label = label; return td; };
  const head = (table, titles) => { const tr = add(table, "tr", undefined, "head"); for (const [text, cls] of titles) add(tr, "th", text, cls).scope = "col"; };
  const titled = (metric) => metric.unit ? `${metric.title}, ${metric.unit}` : metric.title;
  // What an interval is due to, as a bar of three parts.
  const parts = [["devices", palette[0]], ["days and chance", palette[1]], ["the phone's energies", palette[4]]];
  const shareBar = (td, shares) => {
    if (!shares) return;
    const bar = add(td, "span", undefined, "share");
    shares.forEach((share, i) => { const part = add(bar, "i"); part.style.width = `${share * 100}%`; part.style.background = parts[i][1]; });
    add(td, "span", shares.map((share, i) => `${parts[i][0]} ${number(share * 100, 0)} %`).join(", "), "ci");
  };
  const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "\u2026" : text;
  const measure = (() => {
    const context = document.createElement("canvas").getContext("2d");
    return (text, bold) => { context.font = `${bold ? "600 " : ""}11px system-ui, sans-serif`; return context.measureText(text).width; };
  })();

  const percentOf = (share) => `${number(share * 100, 1)} %`;
  const nearly = (text) => text.replaceAll(">=", " \u2265 ").replaceAll("<=", " \u2264 ");
  const netEnergy = metricNamed("net-energy");

  // The card.
  {
    const card = data.card;
    el("title").textContent = data.title;
    el("subtitle").textContent = data.subtitle;
    el("card").dataset.verdict = card.verdict;
    el("card-title").textContent = card.title;
    for (const text of card.facts) add(el("facts"), "p", text);
    el("choices").hidden = !card.choices.length;
    for (const { role, policy, words } of card.choices) {
      const dt = add(el("choices"), "dt", `${role[0].toUpperCase()}${role.slice(1)}: `);
      add(dt, "b", policy);
      add(el("choices"), "dd", words);
    }
    el("ask").hidden = card.verdict !== "open";
    for (const text of card.doubts) add(el("doubts"), "li", text);
    el("in-full").hidden = !data.words;
    el("words").textContent = data.words;
    el("method").textContent = data.method;
    el("bounds-note").textContent = data.boundsNote;
    el("phone-note").textContent = `Per cent of the battery a day. ${data.phoneNote}`;
    page.profile();
  }

  // What was asked, of each policy: those that pass and the nearest of the others, ten at most; the rest is folded.
  if (data.asked) {
    const asked = data.asked, passing = asked.rows.filter((r) => r.met || r.confirmed).length, first = Math.min(passing + 3, 10);
    el("asked-section").hidden = false;
    el("asked-words").textContent = `Asked for: ${asked.text}.`;
    const fill = (table, rows) => {
      head(table, [["policy", ""], ["verdict", ""], ...asked.bounds.map((b) => [nearly(b), "n"])]);
      for (const r of rows) {
        const tr = add(table, "tr", undefined, r.confirmed ? "chosen" : undefined);
        const name = cell(tr, r.policy, "label", "policy");
        if (r.confirmed) add(name, "span", `confirmed${r.probability === null ? "" : `, ${percent(r.probability)} sure`}`, "ci");
        cell(tr, r.met ? "\u2713 pass" : "\u2717 fail", r.met ? "best" : "missed", "");
        r.cells.forEach((c, i) => {
          const td = cell(tr, c.text, c.met ? "n" : "n missed", nearly(asked.bounds[i]));
          if (c.probability !== null) add(td, "span", `${percent(c.probability)} sure`, "ci");
        });
      }
    };
    fill(el("asked"), asked.rows.slice(0, first));
    const rest = asked.rows.slice(first);
    el("asked-rest").hidden = !rest.length;
    el("asked-rest").firstElementChild.textContent = `${rest.length} other ${rest.length === 1 ? "policy" : "policies"}`;
    fill(el("asked-more"), rest);
  }

  // The latency of a policy that can be set, and what it costs.
  el("knob-section").hidden = !data.knobs.length;
  data.knobs.forEach((knob, k) => {
    const box = add(el("knobs"), "p", undefined, "knob"), label = add(box, "label", `${knob.policy}: latency `);
    const slider = add(box, "input"), output = add(box, "output");
    label.htmlFor = slider.id = `knob-${k}`;
    output.htmlFor = slider.id;
    // It begins with the chosen one, or the one in the middle.
    const chosen = knob.rows.findIndex(([, i]) => policies[i].chosen);
    Object.assign(slider, { type: "range", min: 0, max: knob.rows.length - 1, step: 1, value: chosen < 0 ? knob.rows.length >> 1 : chosen });
    slider.oninput = () => {
      const [latency, i] = knob.rows[slider.value], p = policies[i];
      const late = (name) => { const v = value(p, name); return v === null ? "" : `, 95 % of them within ${shown(v, metricNamed(name))} s`; };
      const share = (name) => { const v = value(p, name); return v === null ? "none" : percentOf(v); };
      const cost = `${shown(value(p, "net-energy"), netEnergy)} % of the battery a day above idle`;
      slider.setAttribute("aria-valuetext", `${latency} s: ${cost}`);
      output.textContent = `${latency} s costs ${cost}. Arrivals reported: ${share("entry-recall")}${late("entry-p95-latency")}. Departures: ${share("exit-recall")}${late("exit-p95-latency")}.`;
    };
    slider.oninput();
  });

  if (data.phones) {
    const table = el("phones"), metrics = data.phones.metrics.map(metricNamed);
    el("phones-part").hidden = false;
    head(table, [["phone", ""], ["chosen policy", ""], ...metrics.map((m) => [titled(m), "n"]), ["probability", "n"]]);
    for (const r of data.phones.rows) {
      const tr = add(table, "tr");
      cell(tr, r.phone, "", "phone");
      cell(tr, r.policy || "none", "whole label", "chosen policy");
      for (const m of metrics) figure(tr, r.figures && r.figures[m.name], m, "n", titled(m));
      cell(tr, r.probability === null ? "" : percent(r.probability), "n", "probability");
    }
  }
  if (data.tuned) {
    const table = el("tuned"), metrics = data.tuned.metrics.map(metricNamed);
    el("tuned-part").hidden = false;
    head(table, [["policy", ""], ["settings", ""], ...metrics.map((m) => [titled(m), "n"]), ["probability", "n"]]);
    for (const r of data.tuned.rows) {
      const isSame = r.tuned === r.preset;
      const own = [r.preset, r.presetFigures, r.presetProbability, isSame ? "its own, the best found" : "its own"];
      for (const [label, figures, probability, kind] of isSame ? [own] : [own, [r.tuned, r.tunedFigures, r.tunedProbability, "tuned"]]) {
        const tr = add(table, "tr");
        cell(tr, label, "label", "policy");
        cell(tr, kind, "", "settings");
        for (const m of metrics) figure(tr, figures[m.name], m, "n", titled(m));
        cell(tr, probability === null ? "" : percent(probability), "n", "probability");
      }
    }
  }

  const byEnergy = policies.map((_, i) => i).sort((a, b) => (value(policies[a], "net-energy") ?? Infinity) - (value(policies[b], "net-energy") ?? Infinity) || a - b);
  const answer = policies.findIndex((p) => p.chosen);
  // First those that meet what was asked, then those that no other beats; of each the cheapest first.
  const rank = (i) => policies[i].meets ? 0 : policies[i].chosen ? 1 : policies[i].front ? 2 : 3;
  const inOrder = [...byEnergy].sort((a, b) => rank(a) - rank(b));
  // Of those that no other beats, many miss most and are all alike: the cheapest leads, and those that miss least.
  const surest = byEnergy.filter((i) => policies[i].front).sort((a, b) => (value(policies[b], "recall") ?? -1) - (value(policies[a], "recall") ?? -1));
  const cheapest = byEnergy.filter((i) => policies[i].front).slice(0, 1);
  const leading = new Set([...new Set([...inOrder.filter((i) => rank(i) < 2), ...cheapest, ...surest])].slice(0, 8));
  // Those that have lines, each with a colour.
  const drawn = [...leading].slice(0, palette.length).sort((a, b) => byEnergy.indexOf(a) - byEnergy.indexOf(b));

  // The table: the leading policies, and the others folded.
  const columns = data.columns.map(metricNamed);
  let order = null;
  const headers = [];
  const sortBy = (name) => { const m = metricNamed(name); order = !name ? null : order && order.column === name ? { column: name, down: !order.down } : { column: name, down: m.higher }; sort(); };
  const bodies = ["summary", "others"].map((id) => {
    const tr = add(add(el(id), "thead"), "tr");
    const named = (name, title, unit, cls, explanation) => {
      const th = add(tr, "th", undefined, cls), button = add(th, "button", title);
      th.scope = "col";
      button.type = "button";
      if (explanation) tip(button, explanation);
      add(th, "small", unit);
      button.onclick = () => sortBy(name);
      headers.push([name, th]);
    };
    named("", "policy", "", "", "In the order of the answer.");
    for (const m of columns) named(m.name, m.title, m.unit || "share", "n", m.meaning);
    return add(el(id), "tbody");
  });
  for (const m of [{ name: "", title: "the answer" }, ...columns]) add(el("sort"), "option", m.title).value = m.name;
  el("sort").onchange = (e) => sortBy(e.target.value);
  el("others-part").hidden = leading.size === policies.length;
  el("others-part").firstElementChild.textContent = `${policies.length - leading.size} other ${policies.length - leading.size === 1 ? "policy" : "policies"}`;
  const best = new Map(columns.map((m) => {
    const all = policies.map((p) => value(p, m.name)).filter((v) => v !== null);
    return [m.name, all.length > 1 ? (m.higher ? Math.max(...all) : Math.min(...all)) : null];
  }));
  const rows = policies.map((p) => {
    const tr = document.createElement("tr");
    tr.className = `${p.front ? "front" : ""} ${p.chosen ? "chosen" : ""}`;
    const name = add(tr, "td", undefined, "label");
    if (p.chosen) add(name, "span", "\u25b6 ", "mark");
    add(name, "span", p.label);
    if (p.front) add(name, "span", " \u25c6", "mark");
    if (p.meets) add(name, "span", " \u2713", "mark");
    for (const m of columns) {
      const v = value(p, m.name);
      figure(tr, p.metrics[m.name], m, v !== null && v === best.get(m.name) ? "n best" : "n", titled(m));
    }
    return tr;
  });
  function sort() {
    const list = !order ? inOrder : policies.map((_, i) => i).sort((a, b) => {
      const x = value(policies[a], order.column), y = value(policies[b], order.column);
      // Policies without a figure come last, in either order.
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1) || a - b;
    });
    for (const i of list) bodies[leading.has(i) ? 0 : 1].append(rows[i]);
    for (const [name, th] of headers) {
      if (order && name === order.column) th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    }
  }
  sort();
  for (const m of columns.concat(data.moreColumns.map(metricNamed))) {
    add(el("meanings"), "dt", titled(m));
    add(el("meanings"), "dd", m.meaning);
  }
  {
    const more = data.moreColumns.map(metricNamed);
    head(el("more"), [["policy", ""], ...more.map((m) => [titled(m), "n"]), ["with the phone, energy's interval is due to", ""]]);
    for (const i of byEnergy) {
      const p = policies[i], tr = add(el("more"), "tr", undefined, p.chosen ? "chosen" : undefined);
      cell(tr, p.label, "label", "policy");
      for (const m of more) figure(tr, p.metrics[m.name], m, "n", titled(m));
      shareBar(cell(tr, "", "whole", "with the phone, energy's interval is due to"), p.shares);
    }
  }
  // Pairs: how sure it is which policy is better.
  if (data.pairs.length) {
    const metrics = ["net-energy", "recall", "p50-latency", "p95-latency"].map(metricNamed);
    el("pairs-part").hidden = false;
    el("sure-order").textContent = percent(data.sureOrder);
    byEnergy.forEach((i) => { add(el("pair-policy"), "option", policies[i].label).value = i; });
    const draw = (other) => {
      const table = el("pairs");
      table.replaceChildren();
      head(table, [["policy", ""], ...metrics.map((m) => [titled(m), "n"])]);
      for (const i of byEnergy) {
        const pair = data.pairs.find(([a, b]) => a === i && b === other || a === other && b === i);
        if (!pair) continue;
        const sign = pair[0] === i ? 1 : -1, tr = add(table, "tr", undefined, policies[i].chosen ? "chosen" : undefined);
        cell(tr, policies[i].label, "label", "policy");
        for (const m of metrics) {
          const found = pair[2][m.name];
          if (!found) { cell(tr, "\u2013", "n", titled(m)); continue; }
          const [d, low, high] = (sign > 0 ? found : [found[0], found[2], found[1], found[3]]).slice(0, 3).map((v) => sign * infinite(v));
          const isBetter = m.higher ? d > 0 : d < 0, isSure = found[3] >= data.sureOrder;
          const text = (v) => v === 0 ? "0" : `${v > 0 ? "+" : "\u2212"}${shown(Math.abs(v), m)}`;
          const td = cell(tr, text(d), `n${isSure && d !== 0 ? isBetter ? " best" : " late" : ""}`, titled(m));
          add(td, "span", `${text(low)} to ${text(high)}`, "ci");
          if (found.length > 4) {
            const ends = found.slice(4).map((v) => sign * infinite(v)).sort((a, b) => a - b);
            add(td, "span", `the phone: ${text(ends[0])} to ${text(ends[1])}`, "ci");
          }
          if (d !== 0) add(td, "span", `${isBetter ? "better" : "worse"}: ${percent(found[3])}${isSure ? "" : ", not sure"}`, "ci");
        }
      }
    };
    const first = answer >= 0 ? answer : byEnergy[0];
    el("pair-policy").value = first;
    el("pair-policy").onchange = (e) => draw(+e.target.value);
    draw(first);
  }
  for (const p of policies) {
    add(el("recipes"), "dt", p.label);
    add(el("recipes"), "dd", `${p.summary}${p.source ? ` (${p.source})` : ""} To ship it takes ${p.needs}.`);
  }
  legend("table-legend", []);
  for (const text of [...(answer < 0 ? [] : ["\u25b6 chosen"]), "\u25c6 no other policy is better in energy, recall and latency", ...(data.asked ? ["\u2713 meets what was asked for"] : []), ...(data.hasIntervals ? ["small: the 95 % interval of other people and days"] : ["one device: no intervals"])]) add(el("table-legend"), "li", text);

  // Axes.
  const seconds = (s) => s < 60 ? `${+s.toPrecision(3)} s` : s < 3600 ? `${+(s / 60).toPrecision(3)} min` : `${+(s / 3600).toPrecision(3)} h`;
  const begin = (id, w, h) => {
    const svg = el(id);
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    svg.style.height = `${h}px`;
    return svg;
  };
  const text = (svg, x, y, anchor, words, cls) => { make("text", { x, y, "text-anchor": anchor, class: cls || "" }, svg).textContent = words; };
  const line = (svg, x1, y1, x2, y2, cls) => make("line", { x1, y1, x2, y2, class: cls }, svg);
  const upTo = (top, count) => { const list = []; for (let v = 0, step = niceStep(top, count); v <= top * 1.0001; v += step) list.push(v); return list; };
  // What the energies of a plot go up to, with the intervals.
  const most = Math.max(...policies.flatMap((p) => [value(p, "net-energy"), ...(bounds(p, "net-energy") || [])]).filter((v) => v !== null && v < Infinity), 1e-6);

  // What each costs: bars by component, each with the interval of other people and days.
  const components = data.components.filter((c) => policies.some((p) => (p.milliwatts[c] || 0) > 0));
  const aDay = (mW) => 24 * mW / data.milliwattsPerPercent;
  function bars() {
    const w = el("energy").clientWidth || 800, isNarrow = w < 560, step = isNarrow ? 34 : 24;
    const labels = isNarrow ? 0 : Math.min(340, Math.max(...policies.map((p) => measure(cut(p.label, 44), p.chosen) * 1.1)) + 14);
    const left = labels + 2, right = w - 60, h = policies.length * step + 20, svg = begin("energy", w, h);
    const x = (v) => left + v / most * (right - left);
    for (const v of upTo(most, isNarrow ? 4 : 6)) {
      line(svg, x(v), 2, x(v), h - 16, "grid");
      text(svg, x(v), h - 3, "middle", `${+v.toPrecision(3)}`);
    }
    byEnergy.forEach((i, index) => {
      const p = policies[i], y = index * step + (isNarrow ? 16 : 4), total = value(p, "net-energy"), ends = bounds(p, "net-energy");
      text(svg, isNarrow ? left : labels - 6, isNarrow ? y - 3 : y + 12, isNarrow ? "start" : "end", cut(p.label, 44), `bar-label${p.chosen ? " chosen" : ""}`);
      let sum = 0;
      const group = make("g", {}, svg);
      for (const c of components) {
        const mW = p.milliwatts[c] || 0;
        if (!(mW > 0)) continue;
        make("rect", { x: x(sum), y, width: Math.max(0, x(sum + aDay(mW)) - x(sum)), height: 14, fill: colours[c] }, group);
        sum += aDay(mW);
      }
      // A bar too short to be pointed at is pointed at beside it.
      make("rect", { x: left, y: y - 2, width: Math.max(24, x(sum) - left), height: 18, class: "target" }, group);
      const interval = ends ? ` (${shown(ends[0], netEnergy)} to ${shown(ends[1], netEnergy)})` : "";
      tip(group, `${p.label}: ${shown(total, netEnergy)} % a day${interval}: ` + components.filter((c) => p.milliwatts[c] > 0).map((c) => `${names[c]} ${shown(aDay(p.milliwatts[c]), netEnergy)}`).join(", "));
      if (ends) line(svg, x(ends[0]), y + 7, x(ends[1]), y + 7, "whisker");
      text(svg, Math.max(x(sum), ends ? x(ends[1]) : 0) + 5, y + 11, "start", shown(total, netEnergy));
    });
  }
  legend("energy-legend", [...components.map((c) => [colours[c], names[c]]), ...(data.hasIntervals ? [["var(--ink)", "95 % interval of other people and days", "height:2px;vertical-align:3px"]] : [])]);
  {
    const table = el("energy-table");
    add(table, "caption", "Per cent of the battery a day above idle, by component");
    row(table, [["policy", ""], ...components.map((c) => [names[c], "n"]), ["all", "n"]], true);
    for (const i of byEnergy) {
      const p = policies[i];
      row(table, [[p.label, ""], ...components.map((c) => [shown(aDay(p.milliwatts[c] || 0), netEnergy), "n"]), [shown(value(p, "net-energy"), netEnergy), "n"]]);
    }
  }

  // Arrivals and departures: what the energy buys, and how late.
  const kinds = ["arrivals", "departures"];
  const inTime = (side, seconds) => side.count ? side.within[data.times.indexOf(seconds)] / side.count : null;
  for (const t of data.times) add(el("within"), "option", seconds(t)).value = t;
  el("within").value = data.withinSeconds;
  el("within").onchange = () => kinds.forEach(scatter);
  const shareAxis = (svg, left, right, y) => {
    for (const t of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      line(svg, left, y(t), right, y(t), "grid");
      text(svg, left - 5, y(t) + 4, "end", `${Math.round(t * 100)} %`);
    }
  };
  function scatter(kind) {
    const w = el(`front-${kind}`).clientWidth || 500, h = 250, left = 42, right = w - 10, top = 8, floor = h - 32;
    const svg = begin(`front-${kind}`, w, h), limit = +el("within").value;
    const x = (v) => left + 6 + v / most * (right - left - 12), y = (v) => floor - v * (floor - top);
    for (const v of upTo(most, w < 420 ? 4 : 6)) {
      line(svg, x(v), top, x(v), floor, "grid");
      text(svg, x(v), floor + 13, "middle", `${+v.toPrecision(3)}`);
    }
    shareAxis(svg, left, right, y);
    text(svg, (left + right) / 2, h - 4, "middle", "% of the battery a day above idle");
    const points = byEnergy.map((i) => ({ p: policies[i], e: value(policies[i], "net-energy"), v: inTime(policies[i][kind], limit) })).filter((q) => q.e !== null && q.v !== null);
    // A policy that no other beats in these two; of equals the first.
    points.forEach((q, n) => { q.isFront = !points.some((o, k) => o.e <= q.e && o.v >= q.v && (o.e < q.e || o.v > q.v || k < n)); });
    for (const q of points) {
      const ends = bounds(q.p, "net-energy");
      if (ends) line(svg, x(ends[0]), y(q.v), x(ends[1]), y(q.v), "whisker");
    }
    const boxes = points.map((q) => [x(q.e) - 6, y(q.v) - 6, x(q.e) + 6, y(q.v) + 6]);
    for (const q of points) {
      const node = make("circle", { cx: x(q.e), cy: y(q.v), r: 5, class: `point${q.isFront ? " front" : ""}${q.p.chosen ? " chosen" : ""}` }, svg);
      tip(node, `${q.p.label}: ${shown(q.e, netEnergy)} % a day above idle, ${percentOf(q.v)} of ${kind} within ${seconds(limit)}`);
    }
    // Names where they hide nothing; the others are in the tooltips.
    for (const q of points.filter((q) => q.isFront || q.p.chosen)) {
      const words = cut(q.p.label, 28), width = measure(words, true) + 4;
      const place = [[9, 4], [-9 - width, 4], [-width / 2, -10], [-width / 2, 18], [9, 16], [9, -8]].map(([dx, dy]) => [x(q.e) + dx, y(q.v) + dy])
        .find(([a, b]) => a > left && a + width < w && b > top + 8 && b < floor && !boxes.some((o) => a < o[2] && a + width > o[0] && b - 10 < o[3] && b + 2 > o[1]));
      if (!place) continue;
      boxes.push([place[0], place[1] - 10, place[0] + width, place[1] + 2]);
      text(svg, place[0], place[1], "start", words, `point-label${q.p.chosen ? " chosen" : ""}`);
    }
  }
  function curves(kind) {
    const w = el(`late-${kind}`).clientWidth || 500, h = 220, left = 42, right = w - 10, top = 8, floor = h - 20;
    const svg = begin(`late-${kind}`, w, h), last = 1800;
    const x = (s) => left + Math.log(Math.max(1, s)) / Math.log(last) * (right - left), y = (v) => floor - v * (floor - top);
    for (const t of [1, 10, 60, 300, 1800]) {
      line(svg, x(t), top, x(t), floor, "grid");
      text(svg, x(t), floor + 14, t === last ? "end" : "middle", seconds(t));
    }
    shareAxis(svg, left, right, y);
    drawn.forEach((i, n) => {
      const p = policies[i], side = p[kind], share = side.count ? side.reported / side.count : 0, all = side.latencies;
      let d = `M${left} ${y(all.filter((s) => s <= 1).length / (all.length || 1) * share)}`;
      all.forEach((s, k) => { if (s > 1) d += `H${x(Math.min(s, last)).toFixed(1)}V${y((k + 1) / all.length * share).toFixed(2)}`; });
      make("path", { d: d + `H${right}`, class: p.chosen ? "curve chosen" : "curve", stroke: palette[n] }, svg);
      if (side.count) for (const t of data.times) tip(make("circle", { cx: x(t), cy: y(inTime(side, t)), r: 3.5, fill: palette[n], class: "moment" }, svg), `${p.label}: ${percentOf(inTime(side, t))} of ${kind} within ${seconds(t)}`);
    });
  }
  legend("late-legend", drawn.map((i, n) => [palette[n], `${policies[i].chosen ? "\u25b6 " : ""}${policies[i].label}`]));
  for (const kind of kinds) {
    const table = el(`${kind}-table`);
    add(table, "caption", `Share of all ${kind} reported within`);
    row(table, [["policy", ""], ...data.times.map((s) => [seconds(s), "n"]), ["missed", "n"]], true);
    for (const i of byEnergy) {
      const side = policies[i][kind];
      row(table, [[policies[i].label, ""], ...data.times.map((s) => [side.count ? number(inTime(side, s), 3) : "\u2013", "n"]), [`${side.count - side.reported}`, "n"]]);
    }
  }

  // One policy's misses.
  let current = answer >= 0 ? answer : inOrder[0];
  byEnergy.forEach((i) => { add(el("map-policy"), "option", policies[i].label).value = i; });
  el("map-policy").value = current;
  el("map-policy").onchange = (e) => { current = +e.target.value; misses(); };

  // The map.
  const first = data.paths.length && data.paths[0].length ? data.paths[0][0][1] : data.regions.length ? data.regions[0].longitude : 0;
  let marks = [], crowds = [];
  const map = page.map({ svg: el("map"), scale: el("scale").firstElementChild, first, glyphs });
  for (const path of data.paths) for (const p of path) map.take(p[0], p[1], 50);
  if (!data.paths.length) for (const r of data.regions) if (r.near) map.take(r.latitude, r.longitude, r.radius);
  map.begin();
  for (const path of data.paths) make("path", { d: map.path(path), class: "path" }, el("paths"));
  for (const r of data.regions) map.region(r, el("regions"));
  if (data.advice) {
    for (const c of data.advice.places.slice(0, 25)) {
      const node = make("circle", { cx: map.x(c[1]), cy: map.y(c[0]), class: "crowd" }, el("crowds"));
      tip(node, `${c[2]} regions within reach, ${c[3]} left out, for ${length(c[4])}`);
      crowds.push([node, map.r(c[0], 250)]);
    }
  }
  function glyphs(scale) {
    for (const [node, e] of marks) node.setAttribute("d", map.mark(e[0], e[1], e[2] === 1, 6 / scale));
    for (const [node, r] of crowds) node.setAttribute("r", Math.max(r, 9 / scale));
  }
  // Paths far apart are dots on one map, so the device with the most misses is shown first.
  let device = -1;
  {
    add(el("map-device"), "option", "all").value = -1;
    data.paths.forEach((_, i) => { add(el("map-device"), "option", data.devices[i]).value = i; });
    const extents = data.paths.map((path) => map.extent(path));
    if (data.paths.length > 1 && map.extent(data.paths.flat().filter((_, i) => i % 10 === 0)) > 4 * Math.max(...extents)) {
      const counts = data.paths.map((_, i) => policies[current].events.filter((e) => e[4] === i).length);
      device = counts.indexOf(Math.max(...counts));
    }
    el("map-device").value = device;
    el("map-device").onchange = (e) => { device = +e.target.value; misses(); map.focus(data.paths[device]); };
  }
  function misses() {
    el("events").replaceChildren();
    const p = policies[current], own = p.events.filter((e) => device < 0 || e[4] === device);
    marks = own.map((e) => {
      const node = make("path", { class: e[5] === null ? "mark-missed" : "mark-late" }, el("events"));
      tip(node, `${e[2] ? "entry into" : "exit from"} ${data.regions[e[3]].id}, ${data.devices[e[4]]}: ${e[5] === null ? "missed" : `${length(e[5])} late`}`);
      return [node, e];
    });
    const missed = p.missedCount, late = p.lateCount;
    el("map-count").textContent = `${missed} missed, ${late} more than ${length(data.lateSeconds)} late` + (own.length < missed + late ? `; ${own.length} of them drawn` : "");
    const table = el("event-table");
    table.replaceChildren();
    row(table, [["device", ""], ["what", ""], ["region", ""], ["delay", "n"]], true);
    for (const e of own.slice(0, 300)) {
      row(table, [[data.devices[e[4]], ""], [e[2] ? "entry" : "exit", ""], [data.regions[e[3]].id, ""], [e[5] === null ? "missed" : length(e[5]), e[5] === null ? "n missed" : "n late"]]);
    }
    glyphs(map.view.s);
  }
  legend("map-legend", [
    ["var(--track)", "paths"], ["var(--reported)", "missed entry (diamond) or exit (square)"], ["var(--accent)", `more than ${length(data.lateSeconds)} late`],
    ["var(--region-fill)", "region" + page.drawn(), "border:1px solid var(--region)"],
    ...(crowds.length ? [["none", "more regions within reach than slots", "border:2px dotted var(--accent)"]] : []),
  ]);
  // Classes.
  {
    const dimensions = data.dimensions;
    const thead = add(el("classes"), "thead"), tbody = add(el("classes"), "tbody");
    const groups = add(thead, "tr");
    add(groups, "th", "policy").rowSpan = 2;
    dimensions.forEach((d, k) => { const th = add(groups, "th", d.title); th.colSpan = d.classes.length; th.scope = "colgroup"; th.dataset.dimension = k; add(el("dimension"), "option", d.title).value = k; });
    // A narrow screen has room for one of them.
    el("classes").dataset.dimension = 0;
    el("dimension").onchange = (e) => { el("classes").dataset.dimension = e.target.value; };
    const tr = add(thead, "tr"), of = [];
    dimensions.forEach((d, k) => { for (const c of d.classes) { const th = add(tr, "th", c[0].replace(">=", "\u2265"), "n"); th.scope = "col"; add(th, "small", `of ${c[1]}`); th.dataset.dimension = k; of.push(k); } });
    const shown = () => {
      const metric = +el("class-metric").value;
      tbody.replaceChildren();
      for (const i of inOrder) {
        const p = policies[i], line = add(tbody, "tr", undefined, p.chosen ? "chosen" : undefined);
        add(line, "td", p.label);
        p.classes.forEach((all, k) => {
          const v = all?.[metric] ?? null;
          const td = add(line, "td", v === null ? "\u2013" : number(v, metric ? 0 : 2), "n");
          td.dataset.dimension = of[k];
          if (v !== null && !metric) td.style.background = `color-mix(in srgb, ${v >= 0.5 ? "var(--true)" : "var(--reported)"} ${Math.round(Math.abs(v - 0.5) * 60)}%, transparent)`;
        });
      }
    };
    el("class-metric").onchange = shown;
    shown();
  }

  // Advice.
  if (data.advice) {
    const advice = data.advice;
    el("advice-part").hidden = false;
    for (const text of advice.words) add(el("advice"), "p", text);
    el("advice-scroll").hidden = !advice.rows.length;
    el("crowd-scroll").hidden = !advice.places.length;
    if (advice.rows.length) {
      const table = el("advice-table");
      add(table, "caption", advice.caption);
      row(table, [["region", ""], ["radius", "n"], ["passes", "n"], ["median stay", "n"], ["reported at least", "n"], ["verdict", ""], ["radius that would do", "n"], ["passes then", "n"]], true);
      for (const [id, radius, passes, stay, expected, verdict, advised, then] of advice.rows) {
        row(table, [[id, ""], [`${number(radius, 0)} m`, "n"], [`${passes}`, "n"], [length(stay), "n"], [`${number(expected * 100, 0)} %`, "n"], [verdict, verdict === "undetectable" ? "missed" : "late"], [advised === null ? "none" : advised === radius ? "" : `${number(advised, 0)} m`, "n"], [then === null ? "" : `${then}`, "n"]]);
      }
    }
    if (advice.places.length) {
      const table = el("crowd-table");
      add(table, "caption", "The most crowded places");
      row(table, [["latitude", "n"], ["longitude", "n"], ["regions within reach", "n"], ["left out", "n"], ["time there", "n"]], true);
      for (const c of advice.places.slice(0, 20)) row(table, [[number(c[0], 5), "n"], [number(c[1], 5), "n"], [`${c[2]}`, "n"], [`${c[3]}`, "n"], [length(c[4]), "n"]]);
    }
  }

  const draw = () => { bars(); kinds.forEach(scatter); kinds.forEach(curves); };
  let width = 0;
  new ResizeObserver(() => {
    const now = el("energy").parentElement.clientWidth;
    if (now !== width) { width = now; draw(); }
    if (map.isMoved) map.draw(); else map.fit();
  }).observe(el("map"));
  // Paper has another width than the screen.
  window.addEventListener("beforeprint", () => { draw(); if (!map.isMoved) map.fit(); });
  window.addEventListener("afterprint", () => { draw(); if (!map.isMoved) map.fit(); });
  draw();
  misses();
  map.focus(data.paths[device]);
})();
