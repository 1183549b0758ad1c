"use strict";
(() => {
  const { data, el, make, add, tip, number, clock, length, row, legend, colours, names, niceStep } = page;
  const span = data.end - data.start;

  // Words and sums.
  el("title").textContent = data.title;
  el("subtitle").textContent = data.subtitle;
  page.figures(data.figures);

  // The map.
  const marks = [];
  const map = page.map({
    svg: el("map"), scale: el("scale").firstElementChild, first: data.track.length ? data.track[0][2] : 0, glyphs,
    drawn: (w, h) => { if (el("base").checked) tiles(w, h); },
  });
  const { x: px, y: py, r: pr, near } = map;
  for (const p of data.track) map.take(p[1], p[2], 50);
  for (const r of data.regions) if (r.near) map.take(r.latitude, r.longitude, r.radius);
  map.begin();
  el("track").setAttribute("d", map.path(data.track.map((p) => [p[1], p[2]])));
  el("fixes").setAttribute("d", data.fixes.map((p) => `M${px(p[2]).toFixed(3)} ${py(p[1]).toFixed(3)}h0`).join(""));
  const shapes = data.regions.map((r) => map.region(r, el("regions")));
  const sentinels = make("g", {}, el("now"));
  const errorDisc = make("circle", { class: "error", r: 0, cx: 0, cy: 0 }, el("now"));
  const phone = make("circle", { class: "phone", "stroke-width": 2, r: 5 }, el("now"));
  for (const e of data.events) {
    const node = make("path", { class: e.reported ? "reported" : "true" }, el("events"));
    tip(node, `${e.reported ? "reported" : "true"} ${e.entry ? "entry" : "exit"}: ${data.regions[e.region].id}, ${clock(e.time)}`);
    marks.push([node, e]);
  }
  function glyphs(scale) {
    // Of one size on the screen whatever the zoom.
    const u = 6 / scale;
    for (const [node, e] of marks) node.setAttribute("d", map.mark(e.latitude, e.longitude, e.entry, e.reported ? u * 0.75 : u));
    phone.setAttribute("r", u);
  }
  function tiles(w, h) {
    // Slippy tiles: the level whose tiles come nearest to 256 pixels.
    const worldPixels = 1000 * map.view.s / map.unit;
    const z = Math.max(0, Math.min(18, Math.round(Math.log2(worldPixels / 256))));
    const n = 2 ** z, group = el("tiles");
    group.replaceChildren();
    const x0 = map.origin[0] + (map.view.x - w / 2 / map.view.s) / 1000 * map.unit, x1 = map.origin[0] + (map.view.x + w / 2 / map.view.s) / 1000 * map.unit;
    const y0 = map.origin[1] + (map.view.y - h / 2 / map.view.s) / 1000 * map.unit, y1 = map.origin[1] + (map.view.y + h / 2 / map.view.s) / 1000 * map.unit;
    for (let i = Math.floor(x0 * n); i <= Math.floor(x1 * n); i++) {
      for (let j = Math.max(0, Math.floor(y0 * n)); j <= Math.min(n - 1, Math.floor(y1 * n)); j++) {
        const k = ((i % n) + n) % n;
        make("image", {
          href: `${data.tiles}/${z}/${k}/${j}.png`, x: (i / n - map.origin[0]) / map.unit * 1000,
          y: (j / n - map.origin[1]) / map.unit * 1000, width: 1000 / n / map.unit, height: 1000 / n / map.unit, opacity: 0.75,
        }, group);
      }
    }
  }
  el("show-fixes").onchange = (e) => { el("fixes").style.display = e.target.checked ? "" : "none"; };
  el("base").onchange = (e) => { el("attribution").hidden = !e.target.checked; if (!e.target.checked) el("tiles").replaceChildren(); map.draw(); };

  // Strips over time.
  const stateColours = { foreground: "#2b8a3e", background: "#f0a030", suspended: "var(--state-suspended)", notRunning: "var(--state-none)" };
  const stateNames = { foreground: "in front", background: "running behind", suspended: "suspended", notRunning: "not running" };
  legend("map-legend", [
    ["var(--track)", "true track"], ["var(--registered-fill)", "registered now", "border:2px solid var(--registered)"],
    ["var(--region-fill)", "other region" + page.drawn(), "border:1px solid var(--region)"], ["none", "sentinel", "border:2px dashed var(--accent)"],
    ["var(--fix)", "position seen"], ["var(--paper)", "true entry (diamond) or exit (square)", "border:2px solid var(--true)"],
    ["var(--reported)", "reported"],
  ]);
  legend("states-legend", Object.keys(stateColours).map((k) => [stateColours[k], stateNames[k], k === "notRunning" ? "border:1px solid var(--line)" : ""]));
  legend("energy-legend", data.power.components.map((k) => [colours[k], names[k]]));
  const margin = { left: 44, right: 8 };
  const cursors = [];
  function ticks(svg, w, h, from) {
    const hours = [60, 300, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800].find((s) => span / s <= w / 90) || 2592000;
    for (let t = Math.ceil(data.start / hours) * hours; t <= data.end; t += hours) {
      const x = margin.left + (t - data.start) / span * (w - margin.left - margin.right);
      make("line", { x1: x, x2: x, y1: from, y2: h - 16, class: "grid" }, svg);
      const d = new Date(t * 1000).toISOString();
      make("text", { x, y: h - 4, "text-anchor": "middle" }, svg).textContent = hours >= 86400 ? d.slice(5, 10) : d.slice(11, 16);
    }
  }
  function strips() {
    cursors.length = 0;
    const states = el("states"), w = states.clientWidth || 800, h = 46, inner = w - margin.left - margin.right;
    states.replaceChildren();
    states.setAttribute("viewBox", `0 0 ${w} ${h}`);
    ticks(states, w, h, 0);
    const at = (t) => margin.left + (span > 0 ? (t - data.start) / span : 0) * inner;
    for (const [from, to, state] of data.states) {
      const bar = make("rect", { x: at(from), y: 4, width: Math.max(0.75, at(to) - at(from)), height: 22, fill: stateColours[state] }, states);
      tip(bar, `${stateNames[state]}, ${clock(from)}, ${length(to - from)}`);
    }
    cursors.push([make("line", { class: "cursor", y1: 0, y2: 30 }, states), at]);
    const svg = el("energy"), H = 240, floor = H - 20;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${w} ${H}`);
    ticks(svg, w, H, 6);
    const bins = data.power.values.length ? data.power.values[0].length : 0;
    const sums = Array.from({ length: bins }, (_, b) => data.power.values.reduce((s, v) => s + v[b], 0));
    const top = Math.max(1, ...sums) * 1.08, y = (v) => floor - v / top * (floor - 8);
    const grid = niceStep(top, 5);
    for (let v = 0; v <= top; v += grid) {
      make("line", { x1: margin.left, x2: w - margin.right, y1: y(v), y2: y(v), class: "grid" }, svg);
      make("text", { x: margin.left - 5, y: y(v) + 4, "text-anchor": "end" }, svg).textContent = number(v, 0);
    }
    const base = new Array(bins).fill(0);
    const edge = (b) => at(Math.min(data.end, data.start + b * data.power.bin));
    data.power.components.forEach((name, c) => {
      let up = "", down = "";
      for (let b = 0; b < bins; b++) {
        const low = base[b], high = low + data.power.values[c][b];
        up += `${b ? "L" : "M"}${edge(b).toFixed(1)} ${y(high).toFixed(2)}L${edge(b + 1).toFixed(1)} ${y(high).toFixed(2)}`;
        down = `L${edge(b + 1).toFixed(1)} ${y(low).toFixed(2)}L${edge(b).toFixed(1)} ${y(low).toFixed(2)}` + down;
        base[b] = high;
      }
      if (up) tip(make("path", { d: up + down + "Z", fill: colours[name], opacity: 0.92 }, svg), names[name]);
    });
    cursors.push([make("line", { class: "cursor", y1: 6, y2: floor }, svg), at]);
    move();
  }
  for (const id of ["states", "energy"]) {
    const seek = (e) => {
      const b = el(id).getBoundingClientRect();
      const share = (e.clientX - b.left - margin.left) / (b.width - margin.left - margin.right);
      player.set(data.start + Math.max(0, Math.min(1, share)) * span);
    };
    el(id).addEventListener("pointerdown", seek);
    el(id).addEventListener("pointermove", (e) => { if (e.buttons) seek(e); });
  }

  // Until somebody asks for a time, the map shows everything that happened.
  let isSeeking = false;
  const player = page.player(() => { isSeeking = true; move(); });
  function move() {
    if (!data.track.length) return;
    const now = player.now, p = page.along(data.track, now, near);
    phone.setAttribute("cx", px(p[2]));
    phone.setAttribute("cy", py(p[1]));
    // What holds at the end of the run holds at its last instant too.
    const holds = (r) => r[0] <= now && (now < r[1] || r[1] >= data.end);
    const on = new Set(data.registrations.filter(holds).map((r) => r[2]));
    shapes.forEach((node, i) => node.setAttribute("class", on.has(i) ? "region on" : "region"));
    // The app's own regions, as the phone has registered them; beacons have no position.
    const own = data.sentinels.filter(holds), circles = own.filter((r) => r.length > 2);
    sentinels.replaceChildren();
    for (const r of circles) make("circle", { class: "sentinel", r: pr(r[2], r[4]), cx: px(r[3]), cy: py(r[2]) }, sentinels);
    const sentinel = circles.at(-1);
    const f = data.fixes[page.before(data.fixes, now)];
    errorDisc.setAttribute("r", f && now - f[0] < 600 ? pr(f[1], f[3]) : 0);
    if (f) { errorDisc.setAttribute("cx", px(f[2])); errorDisc.setAttribute("cy", py(f[1])); }
    for (const [node, e] of marks) node.classList.toggle("dim", isSeeking && e.time > now);
    for (const [line, at] of cursors) { line.setAttribute("x1", at(now)); line.setAttribute("x2", at(now)); }
    const s = data.states[page.before(data.states, now)];
    el("moment").textContent = `${s ? stateNames[s[2]] : ""}; ${on.size + own.length} of ${data.slots} slots in use` + (sentinel ? `; sentinel ${number(sentinel[4], 0)} m` : "; no sentinel") + (f ? `; last position ${length(now - f[0])} old, ±${number(f[3], 0)} m` : "");
    player.show();
    if (el("follow").checked) { map.view.x = px(p[2]); map.view.y = py(p[1]); map.draw(); }
  }
  // Tables.
  const joules = el("joules");
  row(joules, [["component", ""], ["joules", "n"], ["share", "n"], ["%/h of the battery", "n"]], true);
  for (const [name, j, share, percent] of data.joules) row(joules, [[names[name] || name, ""], [number(j, 1), "n"], [`${number(share * 100, 1)} %`, "n"], [number(percent, 3), "n"]]);
  const delays = data.matches.map((e) => e.delay).filter((d) => d !== null).sort((a, b) => a - b);
  const happened = data.matches.filter((e) => e.time !== null).length;
  el("match").textContent = `${delays.length} of ${happened} true crossings were reported` +
    (delays.length ? `, half of them within ${number(delays[(delays.length - 1) >> 1], 0)} s` : "") +
    `; ${data.matches.length - happened} reports were of nothing.`;
  const list = el("list");
  row(list, [["true time", ""], ["what", ""], ["region", ""], ["reported", ""], ["delay", "n"]], true);
  for (const e of data.matches) {
    const late = e.delay === null ? "" : length(Math.abs(e.delay));
    row(list, [
      [e.time === null ? "never" : clock(e.time), e.time === null ? "missed" : ""], [e.entry ? "entry" : "exit", ""], [data.regions[e.region].id, ""],
      [e.reported === null ? "not reported" : clock(e.reported), e.reported === null ? "missed" : ""],
      [e.delay === null ? "" : e.delay < 0 ? `${late} early` : late, e.delay > 300 ? "n late" : "n"],
    ]);
  }
  page.profile();

  new ResizeObserver(() => { if (map.isMoved || el("follow").checked) map.draw(); else map.fit(); strips(); }).observe(el("map"));
  player.begin(data.start, data.end, data.start + span / 2);
  map.fit();
  strips();
})();
