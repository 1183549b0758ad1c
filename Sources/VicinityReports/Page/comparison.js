(() => {
  const { data, el, make, add, tip, number, length, row, legend, colours, names, niceStep } = page;
  const policies = data.policies;
  const palette = ["#2f7ed8", "#dd7500", "#2b9a4a", "#c43b7d", "#7b61d1", "#0e9aa7", "#a8841f", "#d64541"];
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
  const parts = [["devices", "#2f7ed8"], ["days and chance", "#dd7500"], ["the phone's energies", "#7b61d1"]];
  const shareBar = (td, shares) => {
    if (!shares) return;
    const bar = add(td, "span", undefined, "share");
    shares.forEach((share, i) => { const part = add(bar, "i"); part.style.width = `${share * 100}%`; part.style.background = parts[i][1]; part.title = `${parts[i][0]}: ${percent(share)}`; });
    add(td, "span", shares.map((share, i) => `${parts[i][0]} ${number(share * 100, 0)} %`).join(", "), "ci");
  };
  const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "\u2026" : text;
  const measure = (() => {
    const context = document.createElement("canvas").getContext("2d");
    return (text, bold) => { context.font = `${bold ? "600 " : ""}11px system-ui, sans-serif`; return context.measureText(text).width; };
  })();

  // Words.
  el("title").textContent = data.title;
  el("subtitle").textContent = data.subtitle;
  page.figures(data.figures);
  if (data.requirement) {
    el("requirement").hidden = false;
    el("requirement").append(`Asked for: ${data.requirement.text.replaceAll(",", ", ").replaceAll(">=", " \u2265 ").replaceAll("<=", " \u2264 ")}. `);
    const known = data.confirmed ? data.confirmed.probability : null;
    const met = data.requirement.met;
    const verdict = !met ? "No policy that was found does it." : known === null ? "It can be had here." : known >= 0.95 ? `It can be had${data.confirmed.sameDevices ? " on other days of these devices" : ""}: ${percent(known)} sure.` : `It may be had, but that is not sure: ${percent(known)}.`;
    add(el("requirement"), "span", verdict, met && known >= 0.95 && !data.confirmed.sameDevices ? "met" : met ? "" : "unmet");
  }
  for (const text of data.answer) add(el("answer"), "p", text);
  el("table-note").textContent = data.tableNote;
  el("bounds-note").textContent = data.boundsNote;
  el("method").textContent = data.method;

  // The answer where it was not chosen.
  if (data.confirmed) {
    const c = data.confirmed, table = el("confirmed");
    el("confirmed-part").hidden = false;
    el("confirmed-heading").textContent = `${c.policy}, confirmed ${c.sameDevices ? "with other seeds on the same" : "on"} ${c.devices} ${c.devices === 1 ? "device" : "devices"}${c.sameDevices ? "" : " that it was not chosen on"}`;
    head(table, [["figure", ""], ["asked for", ""], ["confirmed", "n"], ["probability", "n"], ["what the interval is due to", ""]]);
    for (const r of c.rows) {
      const m = metricNamed(r.metric), tr = add(table, "tr");
      cell(tr, titled(m), "", "figure").title = m.meaning;
      cell(tr, r.bound.replace(">=", " \u2265 ").replace("<=", " \u2264 "), "", "asked for");
      figure(tr, r.value, m, "n", "confirmed");
      cell(tr, r.probability === undefined || r.probability === null ? "" : percent(r.probability), r.met ? "n" : "n missed", "probability");
      shareBar(cell(tr, "", "whole", "what the interval is due to"), r.shares);
    }
  }
  if (data.phones) {
    const table = el("phones"), metrics = data.phones.metrics.map(metricNamed);
    el("phones-section").hidden = false;
    el("phones-words").textContent = data.phones.words;
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
    el("tuned-section").hidden = false;
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

  // Which policies have lines; of each its colour.
  const chosen = new Map();
  const choose = (i, on) => {
    if (!on) { chosen.delete(i); return; }
    const used = new Set(chosen.values());
    chosen.set(i, palette.find((c) => !used.has(c)) || palette[i % palette.length]);
  };
  const byEnergy = policies.map((_, i) => i).sort((a, b) => (value(policies[a], "energy") ?? Infinity) - (value(policies[b], "energy") ?? Infinity) || a - b);
  const firsts = byEnergy.filter((i) => policies[i].front);
  // First those that miss least: the many that miss most are all alike.
  const surest = [...(firsts.length ? firsts : byEnergy)].sort((a, b) => (value(policies[b], "recall") ?? -1) - (value(policies[a], "recall") ?? -1) || a - b);
  const answer = policies.findIndex((p) => p.chosen);
  for (const i of [...(answer < 0 ? [] : [answer]), ...surest.filter((i) => i !== answer)].slice(0, 7)) choose(i, true);

  // The table.
  const columns = data.columns.map(metricNamed);
  let order = { column: "energy", down: false };
  const top = add(el("summary"), "thead"), body = add(el("summary"), "tbody");
  const headers = new Map();
  {
    const tr = add(top, "tr");
    const sortable = (name, title, unit, cls, explanation) => {
      const th = add(tr, "th", undefined, cls);
      th.scope = "col";
      const button = add(th, "button", title);
      button.type = "button";
      if (explanation) button.title = explanation;
      add(th, "small", unit);
      button.onclick = () => {
        const metric = metricNamed(name);
        if (order.column === name) order.down = !order.down;
        else order = { column: name, down: !!metric && metric.higher };
        sort();
      };
      headers.set(name, th);
    };
    sortable("", "policy", "", "");
    add(tr, "th", "to ship it takes").scope = "col";
    for (const m of columns) sortable(m.name, m.title, m.unit || "share", "n", m.meaning);
    for (const m of [{ name: "", title: "policy" }, ...columns]) add(el("sort"), "option", m.title).value = m.name;
    el("sort").value = order.column;
    el("sort").onchange = (e) => { const m = metricNamed(e.target.value); order = { column: e.target.value, down: !!m && m.higher }; sort(); };
  }
  const best = new Map(columns.map((m) => {
    const all = policies.map((p) => value(p, m.name)).filter((v) => v !== null);
    return [m.name, all.length > 1 ? (m.higher ? Math.max(...all) : Math.min(...all)) : null];
  }));
  const rows = policies.map((p, i) => {
    const tr = document.createElement("tr");
    tr.className = `${p.front ? "front" : ""} ${p.chosen ? "chosen" : ""}`;
    const name = add(add(tr, "td"), "label", undefined, "name");
    const box = add(name, "input");
    box.type = "checkbox";
    box.checked = chosen.has(i);
    box.setAttribute("aria-label", `draw ${p.label}`);
    box.onchange = () => { choose(i, box.checked); paint(); curves(); };
    const text = add(name, "span");
    text.title = p.summary;
    if (p.chosen) add(text, "span", "\u25b6 ", "mark").title = "chosen";
    add(text, "span", p.label, "label");
    if (p.front) add(text, "span", " \u25c6", "mark").title = "on the front";
    if (p.meets) add(text, "span", " \u2713", "mark").title = "meets what was asked for";
    cell(tr, p.needs, "needs whole", "to ship it takes");
    for (const m of columns) {
      const v = value(p, m.name);
      figure(tr, p.metrics[m.name], m, v !== null && v === best.get(m.name) ? "n best" : "n", m.title + (m.unit ? `, ${m.unit}` : ""));
    }
    const paint = () => { box.style.accentColor = chosen.get(i) || "auto"; };
    paint();
    return { tr, paint };
  });
  const paint = () => rows.forEach((r) => r.paint());
  function sort() {
    const key = (i) => order.column === "" ? policies[i].label : value(policies[i], order.column);
    const list = policies.map((_, i) => i).sort((a, b) => {
      const x = key(a), y = key(b);
      // Policies without a figure come last, in either order.
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1) || a - b;
    });
    for (const i of list) body.append(rows[i].tr);
    for (const [name, th] of headers) {
      if (name === order.column) th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
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
    head(el("more"), [["policy", ""], ...more.map((m) => [titled(m), "n"]), ["energy's interval is due to", ""]]);
    for (const i of byEnergy) {
      const p = policies[i], tr = add(el("more"), "tr", undefined, p.chosen ? "chosen" : undefined);
      cell(tr, p.label, "label", "policy");
      for (const m of more) figure(tr, p.metrics[m.name], m, "n", titled(m));
      shareBar(cell(tr, "", "whole", "energy's interval is due to"), p.shares);
    }
  }
  // Pairs: how sure it is which policy is better.
  if (data.pairs.length) {
    const metrics = ["energy", "recall", "p50-latency", "p95-latency"].map(metricNamed);
    el("pairs-section").hidden = false;
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
          if (d !== 0) add(td, "span", `${isBetter ? "better" : "worse"}: ${percent(found[3])}${isSure ? "" : ", not sure"}`, "ci");
        }
      }
    };
    const first = answer >= 0 ? answer : Math.max(0, policies.findIndex((p) => p.label === "always-best"));
    el("pair-policy").value = first;
    el("pair-policy").onchange = (e) => draw(+e.target.value);
    draw(first);
  }
  for (const p of policies) {
    add(el("recipes"), "dt", p.label);
    add(el("recipes"), "dd", `${p.summary}${p.source ? ` (${p.source})` : ""} To ship it takes ${p.needs}.`);
  }
  legend("table-legend", []);
  for (const text of [...(answer < 0 ? [] : ["\u25b6 chosen"]), "\u25c6 no other policy is better in energy, recall and latency", ...(data.requirement ? ["\u2713 meets what was asked for"] : []), ...(data.hasIntervals ? ["small: 95 % interval"] : ["one device: no intervals"])]) add(el("table-legend"), "li", text);

  // Axes.
  const logTicks = (low, high) => {
    const ticks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) for (const f of [1, 2, 5]) ticks.push(f * 10 ** e);
    const inside = ticks.filter((t) => t >= low * 0.999 && t <= high * 1.001);
    return inside.length > 7 ? inside.filter((t) => Math.abs(Math.log10(t) % 1) < 1e-9) : inside;
  };
  const seconds = (s) => s < 60 ? `${+s.toPrecision(3)} s` : s < 3600 ? `${+(s / 60).toPrecision(3)} min` : `${+(s / 3600).toPrecision(3)} h`;
  const energyScale = (left, right) => {
    const all = policies.flatMap((p) => [value(p, "energy"), ...(bounds(p, "energy") || [])]).filter((v) => v !== null && v > 0 && v < Infinity);
    let low = Math.min(...all) / 1.15, high = Math.max(...all) * 1.15;
    if (!(low < high)) [low, high] = [0.1, 10];
    const isLog = high / low > 6;
    if (!isLog) low = 0;
    const at = (v) => isLog ? left + Math.log(v / low) / Math.log(high / low) * (right - left) : left + (v - low) / (high - low) * (right - left);
    let ticks = isLog ? logTicks(low, high) : [];
    if (!isLog) for (let v = 0, step = niceStep(high, 6); v <= high; v += step) ticks.push(v);
    return { at, ticks };
  };

  // A scatter of energy and a metric; every label is put where it hides nothing, the front's first.
  // `of` gives a policy's value and interval, null for none.
  function scatter(id, of, scale, format, words) {
    const svg = el(id), w = svg.clientWidth || 500, h = Math.max(280, Math.min(380, w * 0.8));
    const left = 46, right = w - 10, top = 10, floor = h - 34;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    svg.style.height = `${h}px`;
    const xs = energyScale(left + 6, right - 6), ys = scale(floor - 6, top + 6);
    for (const t of xs.ticks) {
      make("line", { x1: xs.at(t), x2: xs.at(t), y1: top, y2: floor, class: "grid" }, svg);
      make("text", { x: xs.at(t), y: floor + 14, "text-anchor": "middle" }, svg).textContent = `${+t.toPrecision(3)}`;
    }
    for (const t of ys.ticks) {
      make("line", { x1: left, x2: right, y1: ys.at(t), y2: ys.at(t), class: "grid" }, svg);
      make("text", { x: left - 5, y: ys.at(t) + 4, "text-anchor": "end" }, svg).textContent = format(t);
    }
    make("text", { x: (left + right) / 2, y: h - 4, "text-anchor": "middle" }, svg).textContent = "energy, % of the battery an hour";
    const points = [];
    const absent = [];
    policies.forEach((p, i) => {
      const e = value(p, "energy"), [v, ev] = of(p);
      if (e === null || v === null || v === Infinity || !(e > 0)) { absent.push(p.label); return; }
      points.push({ i, p, e, v, ev, x: xs.at(e), y: ys.at(v) });
    });
    // Of the two that are drawn.
    const front = points.filter((a) => !points.some((b) => b.e <= a.e && b.v >= a.v && (b.e < a.e || b.v !== a.v)))
      .sort((a, b) => a.x - b.x || a.y - b.y);
    const across = [];
    if (front.length) {
      let d = `M${front[0].x} ${front[0].y}`;
      front.slice(1).forEach((q, k) => {
        d += `H${q.x}V${q.y}`;
        across.push([front[k].x, front[k].y - 1, q.x, front[k].y + 1], [q.x - 1, Math.min(q.y, front[k].y), q.x + 1, Math.max(q.y, front[k].y)]);
      });
      across.push([front.at(-1).x, front.at(-1).y - 1, right, front.at(-1).y + 1]);
      make("path", { d: d + `H${right}`, class: "front-line" }, svg);
    }
    for (const q of points) {
      const ex = bounds(q.p, "energy"), ev = q.ev;
      if (ex && ex[0] > 0) across.push([xs.at(ex[0]), q.y - 1, xs.at(ex[1]), q.y + 1]);
      if (ex && ex[0] > 0) make("line", { x1: xs.at(ex[0]), x2: xs.at(ex[1]), y1: q.y, y2: q.y, class: "whisker" }, svg);
      if (ev && ev[1] < Infinity) across.push([q.x - 1, Math.min(ys.at(ev[0]), ys.at(ev[1])), q.x + 1, Math.max(ys.at(ev[0]), ys.at(ev[1]))]);
      if (ev && ev[1] < Infinity) make("line", { x1: q.x, x2: q.x, y1: ys.at(ev[0]), y2: ys.at(ev[1]), class: "whisker" }, svg);
    }
    const boxes = [...points.map((q) => [q.x - 6, q.y - 6, q.x + 6, q.y + 6]), ...across];
    for (const q of points) {
      const isFront = front.includes(q);
      const node = make("circle", { cx: q.x, cy: q.y, r: isFront ? 5.5 : 4.5, class: `point${isFront ? " front" : ""}${q.p.chosen ? " chosen" : ""}` }, svg);
      tip(node, `${q.p.label}: ${number(q.e, 3)} %/h, ${words} ${number(q.v, 3)}`);
    }
    const free = (b) => b[0] >= left && b[2] <= w - 2 && b[1] >= top - 4 && b[3] <= floor && !boxes.some((o) => b[0] < o[2] && b[2] > o[0] && b[1] < o[3] && b[3] > o[1]);
    let unlabelled = 0;
    for (const q of [...points].sort((a, b) => (b.p.chosen ? 1 : 0) - (a.p.chosen ? 1 : 0) || front.includes(b) - front.includes(a) || (policies[b.i].front ? 1 : 0) - (policies[a.i].front ? 1 : 0) || a.x - b.x)) {
      const isFront = front.includes(q), text = cut(q.p.label, w < 420 ? 22 : 30), width = measure(text, isFront) + 2;
      let found = null;
      search: for (const far of [9, 16, 26, 40, 56, 76, 100]) {
        for (const [dx, dy] of [[1, 0], [-1, 0], [1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1.4], [0, 1.4]]) {
          const x = q.x + dx * far - (dx < 0 ? width : dx === 0 ? width / 2 : 0), y = q.y + dy * far;
          const box = [x, y - 6, x + width, y + 6];
          if (free(box)) { found = { box, x, y, dx, dy, far }; break search; }
        }
      }
      if (!found) { unlabelled++; continue; }
      boxes.push(found.box);
      if (found.far > 16) make("line", { x1: q.x + found.dx * 5, y1: q.y + found.dy * 5, x2: found.dx < 0 ? found.x + width : found.dx === 0 ? found.x + width / 2 : found.x, y2: found.y, class: "leader" }, svg);
      make("text", { x: found.x + 1, y: found.y + 4, class: q.p.chosen ? "point-label chosen" : isFront ? "point-label front" : "point-label" }, svg).textContent = text;
    }
    return { absent, unlabelled };
  }
  // A share, on the scale of what it lacks to all.
  const missedScale = (list) => (low, high) => {
    const f = (share) => Math.log(1 - Math.min(1, Math.max(0, share)) + 0.002);
    const least = Math.min(...list.filter((v) => v !== null), 0.9);
    const bottom = f(Math.max(0, least - 0.05)), top = f(1);
    const at = (v) => low + (f(v) - bottom) / (top - bottom) * (high - low);
    return { at, ticks: [0, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1].filter((t) => t >= least - 0.05) };
  };
  const times = [...new Set([5, 10, 30, 60, 120, 300, 600, 1800, data.withinSeconds])].sort((a, b) => a - b);
  for (const t of times) add(el("within"), "option", seconds(t)).value = t;
  el("within").value = data.withinSeconds;
  el("within").onchange = () => fronts();
  function fronts() {
    const format = (t) => number(t, t > 0.5 && t < 1 && Math.round(t * 100) % 10 ? 2 : 1);
    const limit = +el("within").value;
    const inTime = (p) => [p.crossings ? within(p, limit) : null, null];
    const one = scatter("front-recall", (p) => [value(p, "recall"), bounds(p, "recall")], missedScale(policies.map((p) => value(p, "recall"))), format, "recall");
    const two = scatter("front-within", inTime, missedScale(policies.map((p) => inTime(p)[0])), format, `within ${seconds(limit)}`);
    const notes = [];
    const absent = [...new Set([...one.absent, ...two.absent])];
    if (absent.length) notes.push(`Without a point, for want of a crossing: ${absent.join(", ")}.`);
    const most = Math.max(one.unlabelled, two.unlabelled);
    if (most) notes.push(`${most === 1 ? "One point has" : `${most} points have`} no label for want of room; pointing at one shows its name.`);
    el("front-note").textContent = notes.join(" ");
  }

  // Latencies.
  const moments = [0, 1, 5, 10, 30, 60, 120, 300, 600, 1800];
  // The share reported within some seconds, from latencies at equal shares of the reported ones.
  const within = (p, s) => {
    const list = p.latencies;
    if (!list.length || !p.crossings) return 0;
    let low = 0, high = list.length;
    while (low < high) { const mid = (low + high) >> 1; if (list[mid] <= s) low = mid + 1; else high = mid; }
    return low / list.length * p.reported / p.crossings;
  };
  function curves() {
    const svg = el("latency"), w = svg.clientWidth || 800, h = w < 500 ? 260 : 320;
    const left = 46, right = w - 10, top = 8, floor = h - 34;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    svg.style.height = `${h}px`;
    const least = 1, most = 1800;
    const x = (s) => left + Math.log(Math.max(least, s) / least) / Math.log(most / least) * (right - left);
    const y = (share) => floor - share * (floor - top);
    for (const t of w < 500 ? [1, 10, 60, 300, 1800] : [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800]) {
      make("line", { x1: x(t), x2: x(t), y1: top, y2: floor, class: "grid" }, svg);
      make("text", { x: x(t), y: floor + 14, "text-anchor": t === 1800 ? "end" : "middle" }, svg).textContent = seconds(t);
    }
    for (const t of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      make("line", { x1: left, x2: right, y1: y(t), y2: y(t), class: "grid" }, svg);
      make("text", { x: left - 5, y: y(t) + 4, "text-anchor": "end" }, svg).textContent = `${Math.round(t * 100)} %`;
    }
    make("text", { x: (left + right) / 2, y: h - 4, "text-anchor": "middle" }, svg).textContent = "seconds after the crossing";
    const list = [...chosen].sort((a, b) => byEnergy.indexOf(a[0]) - byEnergy.indexOf(b[0]));
    for (const [i, colour] of list) {
      const p = policies[i];
      if (!p.latencies.length || !p.crossings) continue;
      let d = `M${x(0)} ${y(within(p, least)).toFixed(2)}`;
      p.latencies.forEach((s, k) => {
        if (s > least) d += `H${x(Math.min(s, most)).toFixed(1)}V${y((k + 1) / p.latencies.length * p.reported / p.crossings).toFixed(2)}`;
      });
      tip(make("path", { d: d + `H${right}`, class: p.chosen ? "curve chosen" : "curve", stroke: colour }, svg), p.label);
    }
    legend("latency-legend", list.map(([i, colour]) => [colour, `${policies[i].chosen ? "\u25b6 " : ""}${policies[i].label} (${policies[i].crossings - policies[i].reported} of ${policies[i].crossings} missed)`]));
  }
  {
    const table = el("latency-table");
    add(table, "caption", "Share of all true crossings reported within");
    row(table, [["policy", ""], ...moments.map((s) => [s ? seconds(s) : "0 s", "n"]), ["missed", "n"]], true);
    for (const i of byEnergy) {
      const p = policies[i];
      const tr = row(table, [[p.label, ""], ...moments.map((s) => [p.crossings ? number(within(p, s), 3) : "\u2013", "n"]), [`${p.crossings - p.reported}`, "n"]]);
      if (p.chosen) tr.classList.add("chosen");
    }
  }

  // Energy.
  const components = ["idle", ...data.components.filter((c) => c !== "idle")].filter((c) => policies.some((p) => (p.milliwatts[c] || 0) > 0));
  const perHour = (mW) => mW / data.milliwattsPerPercent;
  function bars() {
    const svg = el("energy"), w = svg.clientWidth || 800;
    const isNarrow = w < 560, step = isNarrow ? 40 : 26;
    const labels = isNarrow ? 0 : Math.min(340, Math.max(...policies.map((p) => measure(cut(p.label, 44), p.chosen) * 1.1)) + 14);
    const left = labels + 2, right = w - 66, h = policies.length * step + 36;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    svg.style.height = `${h}px`;
    const totals = policies.map((p) => perHour(components.reduce((s, c) => s + (p.milliwatts[c] || 0), 0)));
    const top = Math.max(...totals, 1e-6), x = (v) => left + v / top * (right - left);
    for (let v = 0, grid = niceStep(top, isNarrow ? 4 : 6); v <= top * 1.0001; v += grid) {
      make("line", { x1: x(v), x2: x(v), y1: 2, y2: h - 32, class: "grid" }, svg);
      make("text", { x: x(v), y: h - 20, "text-anchor": "middle" }, svg).textContent = `${+v.toPrecision(3)}`;
    }
    make("text", { x: (left + right) / 2, y: h - 5, "text-anchor": "middle" }, svg).textContent = "% of the battery an hour";
    [...byEnergy].forEach((i, index) => {
      const p = policies[i], y = index * step + (isNarrow ? 18 : 4);
      make("text", isNarrow ? { x: left, y: y - 5, class: `bar-label${p.chosen ? " chosen" : ""}` } : { x: labels - 6, y: y + 13, "text-anchor": "end", class: `bar-label${p.chosen ? " chosen" : ""}` }, svg).textContent = cut(p.label, 44);
      let sum = 0;
      for (const c of components) {
        const mW = p.milliwatts[c] || 0;
        if (!(mW > 0)) continue;
        const bar = make("rect", { x: x(sum), y, width: Math.max(0, x(sum + perHour(mW)) - x(sum)), height: 18, fill: colours[c] }, svg);
        tip(bar, `${p.label}, ${names[c]}: ${number(perHour(mW), 3)} %/h`);
        sum += perHour(mW);
      }
      make("text", { x: x(sum) + 5, y: y + 13 }, svg).textContent = `${number(sum, 2)} %/h`;
    });
  }
  legend("energy-legend", components.map((c) => [colours[c], names[c]]));
  {
    const table = el("energy-table");
    add(table, "caption", "Per cent of the battery an hour, by component");
    row(table, [["policy", ""], ...components.map((c) => [names[c], "n"]), ["all", "n"]], true);
    for (const i of byEnergy) {
      const p = policies[i], all = components.reduce((s, c) => s + (p.milliwatts[c] || 0), 0);
      const tr = row(table, [[p.label, ""], ...components.map((c) => [number(perHour(p.milliwatts[c] || 0), 3), "n"]), [number(perHour(all), 3), "n"]]);
      if (p.chosen) tr.classList.add("chosen");
    }
  }

  // One policy's hours and misses.
  let current = answer >= 0 ? answer : byEnergy.find((i) => policies[i].meets) ?? firsts.at(-1) ?? byEnergy[0];
  for (const id of ["hour-policy", "map-policy"]) {
    byEnergy.forEach((i) => { const option = add(el(id), "option", policies[i].label); option.value = i; });
    el(id).onchange = (e) => { current = +e.target.value; select(); };
  }
  function hours() {
    const svg = el("hours"), w = svg.clientWidth || 800, h = 220, left = 46, right = w - 8, floor = h - 22, top = 8;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    svg.style.height = `${h}px`;
    const list = policies[current].hours;
    const most = Math.max(...policies.map((p) => p.hours).flat().map((hour) => components.reduce((s, c) => s + (hour[c] || 0), 0)), 1);
    const own = Math.max(...list.map((hour) => components.reduce((s, c) => s + (hour[c] || 0), 0)), 1);
    // One scale for all, unless that would leave this one flat.
    const high = (own < most / 8 ? own : most) * 1.05;
    const y = (v) => floor - v / high * (floor - top), width = (right - left) / 24;
    for (let v = 0, grid = niceStep(high, 5); v <= high; v += grid) {
      make("line", { x1: left, x2: right, y1: y(v), y2: y(v), class: "grid" }, svg);
      make("text", { x: left - 5, y: y(v) + 4, "text-anchor": "end" }, svg).textContent = number(v, 0);
    }
    list.forEach((hour, i) => {
      let sum = 0;
      for (const c of components) {
        const mW = hour[c] || 0;
        if (!(mW > 0)) continue;
        const bar = make("rect", { x: left + i * width + 1, y: y(sum + mW), width: Math.max(1, width - 2), height: Math.max(0, y(sum) - y(sum + mW)), fill: colours[c] }, svg);
        tip(bar, `${i}:00, ${names[c]}: ${number(mW, 1)} mW`);
        sum += mW;
      }
      if (i % (w < 500 ? 6 : 3) === 0) make("text", { x: left + i * width, y: h - 6, "text-anchor": "middle" }, svg).textContent = `${i}:00`;
    });
    make("text", { x: right, y: h - 6, "text-anchor": "end" }, svg).textContent = "24:00";
  }

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
  function select() {
    for (const id of ["hour-policy", "map-policy"]) el(id).value = current;
    hours();
    misses();
  }

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
    dimensions.forEach((d, k) => { for (const c of d.classes) { const th = add(tr, "th", c[0].replace(">=", "\u2265"), "n"); th.scope = "col"; th.title = `${c[1]} crossings`; th.dataset.dimension = k; of.push(k); } });
    const shown = () => {
      const metric = +el("class-metric").value;
      tbody.replaceChildren();
      for (const i of byEnergy) {
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
    el("advice-section").hidden = false;
    for (const text of advice.words) add(el("advice"), "p", text);
    el("advice-scroll").hidden = !advice.rows.length;
    el("crowd-scroll").hidden = !advice.places.length;
    if (advice.rows.length) {
      const table = el("advice-table");
      add(table, "caption", advice.caption);
      row(table, [["region", ""], ["radius", "n"], ["passes", "n"], ["median stay", "n"], ["expected reported", "n"], ["verdict", ""], ["radius that would do", "n"], ["passes then", "n"]], true);
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

  page.profile();
  const bases = ["measured", "published", "assumed"].map((b) => [b, data.profile.filter((f) => f[4] === b).length]);
  el("basis-counts").textContent = `Of the ${data.profile.length} figures: ` + bases.map(([b, n]) => `${n} ${b}`).join(", ") + ".";

  const draw = () => { fronts(); curves(); bars(); hours(); };
  let width = 0;
  new ResizeObserver(() => {
    const now = el("latency").parentElement.clientWidth;
    if (now !== width) { width = now; draw(); }
    if (map.isMoved) map.draw(); else map.fit();
  }).observe(el("map"));
  // Paper has another width than the screen.
  window.addEventListener("beforeprint", () => { draw(); if (!map.isMoved) map.fit(); });
  window.addEventListener("afterprint", () => { draw(); if (!map.isMoved) map.fit(); });
  draw();
  map.focus(data.paths[device]);
  select();
})();
