"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const el = (id) => document.getElementById(id);
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, attributes, parent) => {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(node);
    return node;
  };
  const add = (parent, name, text, cls) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (cls) node.className = cls;
    parent.appendChild(node);
    return node;
  };
  const span = data.end - data.start;
  const number = (value, digits) => value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
  const clock = (t) => new Date(t * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC";
  const length = (s) => s < 120 ? `${Math.round(s)} s` : s < 7200 ? `${Math.round(s / 60)} min` : `${number(s / 3600, 1)} h`;

  // Words and sums.
  el("title").textContent = data.title;
  el("subtitle").textContent = data.subtitle;
  for (const [name, value, digits, unit] of data.figures) {
    const box = add(el("figures"), "div");
    add(box, "dt", name);
    add(box, "dd", `${number(value, digits)} ${unit}`);
  }

  // The map: Web Mercator with the world one unit wide, in longitudes that do not jump along the track.
  const rad = Math.PI / 180;
  const first = data.track.length ? data.track[0][2] : 0;
  const near = (lon) => lon + 360 * Math.round((first - lon) / 360);
  const X = (lon) => near(lon) / 360 + 0.5;
  const Y = (lat) => {
    const s = Math.sin(Math.max(-85, Math.min(85, lat)) * rad);
    return 0.5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI);
  };
  const metre = (lat) => 1 / (40075016.686 * Math.max(0.02, Math.cos(lat * rad)));
  const map = el("map");
  // Vectors are drawn in units of a track's width around its middle: SVG's single precision does not hold the world's.
  let west = Infinity, east = -Infinity, north = Infinity, south = -Infinity;
  const take = (lat, lon, r) => {
    const d = r * metre(lat), x = X(lon), y = Y(lat);
    west = Math.min(west, x - d); east = Math.max(east, x + d); north = Math.min(north, y - d); south = Math.max(south, y + d);
  };
  for (const p of data.track) take(p[1], p[2], 50);
  for (const r of data.regions) if (r.near) take(r.latitude, r.longitude, r.radius);
  if (!(west <= east)) { west = 0.49; east = 0.51; north = 0.49; south = 0.51; }
  const origin = [(west + east) / 2, (north + south) / 2], unit = Math.max(east - west, south - north, 1e-7);
  const px = (lon) => (X(lon) - origin[0]) / unit * 1000, py = (lat) => (Y(lat) - origin[1]) / unit * 1000;
  const pr = (lat, r) => r * metre(lat) / unit * 1000;
  let view = { x: 0, y: 0, s: 1 };
  const size = () => { const b = map.getBoundingClientRect(); return [b.width || 800, b.height || 450]; };
  const fit = () => {
    const [w, h] = size();
    const s = 0.92 * Math.min(w / ((east - west) / unit * 1000 || 1), h / ((south - north) / unit * 1000 || 1));
    view = { x: 0, y: 0, s };
    draw();
  };
  const path = (points) => points.map((p, i) => `${i ? "L" : "M"}${px(p[2]).toFixed(3)} ${py(p[1]).toFixed(3)}`).join("");
  el("track").setAttribute("d", path(data.track));
  el("fixes").setAttribute("d", data.fixes.map((p) => `M${px(p[2]).toFixed(3)} ${py(p[1]).toFixed(3)}h0`).join(""));
  const shapes = data.regions.map((r) => {
    const node = r.outline
      ? make("path", { d: r.outline.map((ring) => path(ring.map((p) => [0, p[0], p[1]])) + "Z").join(""), class: "region", "fill-rule": "evenodd" }, el("regions"))
      : make("circle", { cx: px(r.longitude), cy: py(r.latitude), r: pr(r.latitude, r.radius), class: "region" }, el("regions"));
    add2(node, r.id);
    return node;
  });
  function add2(node, text) { make("title", {}, node).textContent = text; }
  const vicinity = make("circle", { class: "vicinity", r: 0, cx: 0, cy: 0 }, el("now"));
  const errorDisc = make("circle", { class: "error", r: 0, cx: 0, cy: 0 }, el("now"));
  const phone = make("circle", { class: "phone", fill: "#1d2733", stroke: "#fff", "stroke-width": 2, r: 5 }, el("now"));
  const marks = [];
  for (const e of data.events) {
    const node = make("path", { class: e.reported ? "reported" : "true" }, el("events"));
    add2(node, `${e.reported ? "reported" : "true"} ${e.entry ? "entry" : "exit"}: ${data.regions[e.region].id}, ${clock(e.time)}`);
    marks.push([node, e]);
  }
  function glyphs() {
    // Entries are diamonds, exits squares; of one size on the screen whatever the zoom.
    const u = 6 / view.s;
    for (const [node, e] of marks) {
      const x = px(e.longitude), y = py(e.latitude), k = e.reported ? u * 0.75 : u;
      node.setAttribute("d", e.entry
        ? `M${x} ${y - k}L${x + k} ${y}L${x} ${y + k}L${x - k} ${y}Z`
        : `M${x - k * .8} ${y - k * .8}h${1.6 * k}v${1.6 * k}h${-1.6 * k}Z`);
    }
    phone.setAttribute("r", 6 / view.s);
  }
  function draw() {
    const [w, h] = size();
    map.setAttribute("viewBox", `${view.x - w / 2 / view.s} ${view.y - h / 2 / view.s} ${w / view.s} ${h / view.s}`);
    glyphs();
    // A round length of about 100 pixels.
    const lat = Math.atan(Math.sinh(Math.PI * (1 - 2 * (origin[1] + view.y / 1000 * unit)))) / rad;
    const perPixel = unit / 1000 / view.s / metre(lat);
    const wanted = 110 * perPixel, power = 10 ** Math.floor(Math.log10(wanted));
    const round = [5, 2, 1].map((f) => f * power).find((f) => f <= wanted);
    const bar = el("scale").firstElementChild;
    bar.style.width = `${round / perPixel}px`;
    bar.textContent = round >= 1000 ? `${round / 1000} km` : `${round} m`;
    if (el("base").checked) tiles(w, h);
  }
  function tiles(w, h) {
    // Slippy tiles: the level whose tiles come nearest to 256 pixels.
    const worldPixels = 1000 * view.s / unit;
    const z = Math.max(0, Math.min(18, Math.round(Math.log2(worldPixels / 256))));
    const n = 2 ** z, group = el("tiles");
    group.replaceChildren();
    const x0 = origin[0] + (view.x - w / 2 / view.s) / 1000 * unit, x1 = origin[0] + (view.x + w / 2 / view.s) / 1000 * unit;
    const y0 = origin[1] + (view.y - h / 2 / view.s) / 1000 * unit, y1 = origin[1] + (view.y + h / 2 / view.s) / 1000 * unit;
    for (let i = Math.floor(x0 * n); i <= Math.floor(x1 * n); i++) {
      for (let j = Math.max(0, Math.floor(y0 * n)); j <= Math.min(n - 1, Math.floor(y1 * n)); j++) {
        const k = ((i % n) + n) % n;
        make("image", {
          href: `https://tile.openstreetmap.org/${z}/${k}/${j}.png`, x: (i / n - origin[0]) / unit * 1000,
          y: (j / n - origin[1]) / unit * 1000, width: 1000 / n / unit, height: 1000 / n / unit, opacity: 0.75,
        }, group);
      }
    }
  }
  // Until somebody moves the map it shows everything, whatever the size of its place becomes.
  let isMoved = false;
  const zoom = (factor, at) => {
    isMoved = true;
    const [w, h] = size();
    const p = at || [w / 2, h / 2];
    const dx = (p[0] - w / 2) / view.s, dy = (p[1] - h / 2) / view.s;
    const s = Math.max(1e-3, Math.min(1e5, view.s * factor));
    view = { x: view.x + dx * (1 - view.s / s), y: view.y + dy * (1 - view.s / s), s };
    draw();
  };
  map.addEventListener("wheel", (e) => {
    e.preventDefault();
    const b = map.getBoundingClientRect();
    zoom(Math.exp(-e.deltaY * 0.0015), [e.clientX - b.left, e.clientY - b.top]);
  }, { passive: false });
  const pointers = new Map();
  map.addEventListener("pointerdown", (e) => { map.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); });
  map.addEventListener("pointermove", (e) => {
    const old = pointers.get(e.pointerId);
    if (!old) return;
    const others = [...pointers.entries()].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    if (others.length) {
      const distance = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
      const b = map.getBoundingClientRect();
      zoom(distance([e.clientX, e.clientY]) / Math.max(1, distance(old)), [(e.clientX + others[0][0]) / 2 - b.left, (e.clientY + others[0][1]) / 2 - b.top]);
    } else {
      isMoved = true;
      view.x -= (e.clientX - old[0]) / view.s;
      view.y -= (e.clientY - old[1]) / view.s;
      draw();
    }
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
  });
  for (const name of ["pointerup", "pointercancel"]) map.addEventListener(name, (e) => pointers.delete(e.pointerId));
  map.addEventListener("keydown", (e) => {
    const step = 60 / view.s;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[e.key]) { isMoved = true; view.x += moves[e.key][0]; view.y += moves[e.key][1]; draw(); }
    else if (e.key === "+" || e.key === "=") zoom(1.4);
    else if (e.key === "-") zoom(1 / 1.4);
    else if (e.key === "0") { isMoved = false; fit(); }
    else return;
    e.preventDefault();
  });
  el("zoom-in").onclick = () => zoom(1.5);
  el("zoom-out").onclick = () => zoom(1 / 1.5);
  el("fit").onclick = () => { isMoved = false; fit(); };
  el("show-fixes").onchange = (e) => { el("fixes").style.display = e.target.checked ? "" : "none"; };
  el("base").onchange = (e) => { el("attribution").hidden = !e.target.checked; if (!e.target.checked) el("tiles").replaceChildren(); draw(); };

  // Strips over time.
  const colours = { gnss: "#c0504d", wifi: "#1f6fb2", cell: "#4bacc6", bluetooth: "#6a5acd", sensors: "#9bbb59", cpu: "#f0a030", app: "#d16ba5", screen: "#8c8c8c", idle: "#cfd6dc" };
  const names = { gnss: "satellites", wifi: "Wi-Fi", cell: "cell", bluetooth: "Bluetooth", sensors: "sensors", cpu: "processor", app: "app's work", screen: "display", idle: "idle" };
  const stateColours = { foreground: "#2b8a3e", background: "#f0a030", suspended: "#cfd6dc", notRunning: "#f3f5f7" };
  const stateNames = { foreground: "in front", background: "running behind", suspended: "suspended", notRunning: "not running" };
  const legend = (id, rows) => {
    for (const [colour, text, style] of rows) {
      const item = add(el(id), "li");
      const box = add(item, "i");
      box.style.background = colour;
      if (style) box.style.cssText += style;
      item.append(text);
    }
  };
  legend("map-legend", [
    ["var(--track)", "true track"], ["#1f6fb22e", "registered now", "border:2px solid var(--registered)"],
    ["#7a8ea322", "other region", "border:1px solid var(--region)"], ["none", "vicinity", "border:2px dashed var(--vicinity)"],
    ["var(--fix)", "position seen"], ["#fff", "true entry (diamond) or exit (square)", "border:2px solid var(--true)"],
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
      add2(bar, `${stateNames[state]}, ${clock(from)}, ${length(to - from)}`);
    }
    cursors.push([make("line", { class: "cursor", y1: 0, y2: 30 }, states), at]);
    const svg = el("energy"), H = 240, floor = H - 20;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${w} ${H}`);
    ticks(svg, w, H, 6);
    const bins = data.power.values.length ? data.power.values[0].length : 0;
    const sums = Array.from({ length: bins }, (_, b) => data.power.values.reduce((s, v) => s + v[b], 0));
    const top = Math.max(1, ...sums) * 1.08, y = (v) => floor - v / top * (floor - 8);
    const step = 10 ** Math.floor(Math.log10(top / 3)), grid = [1, 2, 5, 10].map((f) => f * step).find((f) => top / f <= 5);
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
      if (up) add2(make("path", { d: up + down + "Z", fill: colours[name], opacity: 0.92 }, svg), names[name]);
    });
    cursors.push([make("line", { class: "cursor", y1: 6, y2: floor }, svg), at]);
    move();
  }
  for (const id of ["states", "energy"]) {
    const seek = (e) => {
      const b = el(id).getBoundingClientRect();
      const share = (e.clientX - b.left - margin.left) / (b.width - margin.left - margin.right);
      set(data.start + Math.max(0, Math.min(1, share)) * span);
    };
    el(id).addEventListener("pointerdown", seek);
    el(id).addEventListener("pointermove", (e) => { if (e.buttons) seek(e); });
  }

  // What holds at a time: the last row that begins at or before it.
  const before = (rows, t) => {
    let low = 0, high = rows.length;
    while (low < high) { const mid = (low + high) >> 1; if (rows[mid][0] <= t) low = mid + 1; else high = mid; }
    return low - 1;
  };
  let now = data.start;
  // Until somebody asks for a time, the map shows everything that happened.
  let isSeeking = false;
  const slider = el("slider");
  function place(t) {
    const i = before(data.track, t);
    if (i < 0) return data.track[0];
    const a = data.track[i], b = data.track[i + 1];
    if (!b) return a;
    const f = (t - a[0]) / (b[0] - a[0]);
    return [t, a[1] + (b[1] - a[1]) * f, near(a[2]) + (near(b[2]) - near(a[2])) * f];
  }
  function move() {
    if (!data.track.length) return;
    const p = place(now);
    phone.setAttribute("cx", px(p[2]));
    phone.setAttribute("cy", py(p[1]));
    const on = new Set(data.registrations.filter((r) => r[0] <= now && now < r[1]).map((r) => r[2]));
    shapes.forEach((node, i) => node.setAttribute("class", on.has(i) ? "region on" : "region"));
    const v = data.vicinities[before(data.vicinities, now)];
    vicinity.setAttribute("r", v && v[3] > 0 ? pr(v[1], v[3]) : 0);
    if (v) { vicinity.setAttribute("cx", px(v[2])); vicinity.setAttribute("cy", py(v[1])); }
    const f = data.fixes[before(data.fixes, now)];
    errorDisc.setAttribute("r", f && now - f[0] < 600 ? pr(f[1], f[3]) : 0);
    if (f) { errorDisc.setAttribute("cx", px(f[2])); errorDisc.setAttribute("cy", py(f[1])); }
    for (const [node, e] of marks) node.classList.toggle("dim", isSeeking && e.time > now);
    for (const [line, at] of cursors) { line.setAttribute("x1", at(now)); line.setAttribute("x2", at(now)); }
    const s = data.states[before(data.states, now)];
    const inside = data.regions.filter((r, i) => on.has(i)).length;
    el("clock").textContent = clock(now);
    el("moment").textContent = `${s ? stateNames[s[2]] : ""}; ${inside} of ${data.slots} slots in use` + (v && v[3] > 0 ? `; vicinity ${number(v[3], 0)} m` : "; no vicinity") + (f ? `; last position ${length(now - f[0])} old, ±${number(f[3], 0)} m` : "");
    slider.value = span > 0 ? Math.round((now - data.start) / span * 1000) : 0;
    slider.setAttribute("aria-valuetext", clock(now));
    if (el("follow").checked) { view.x = px(p[2]); view.y = py(p[1]); draw(); }
  }
  function set(t) { now = t; isSeeking = true; move(); }
  slider.oninput = () => set(data.start + slider.value / 1000 * span);
  let timer = null;
  el("play").onclick = () => {
    const stop = () => { cancelAnimationFrame(timer); timer = null; el("play").innerHTML = "&#9654;"; el("play").setAttribute("aria-label", "Play"); };
    if (timer !== null) return stop();
    if (now >= data.end) now = data.start;
    el("play").innerHTML = "&#10074;&#10074;";
    el("play").setAttribute("aria-label", "Pause");
    let last = performance.now();
    const tick = (t) => {
      // A whole run in 40 seconds.
      set(Math.min(data.end, now + span / 40 * (t - last) / 1000));
      last = t;
      if (now >= data.end) stop(); else timer = requestAnimationFrame(tick);
    };
    timer = requestAnimationFrame(tick);
  };

  // Tables.
  const row = (table, cells, head) => {
    const tr = add(table, "tr");
    for (const [text, cls] of cells) {
      const cell = add(tr, head ? "th" : "td", text, cls);
      if (head) cell.scope = "col";
    }
    return tr;
  };
  const joules = el("joules");
  row(joules, [["component", ""], ["joules", "n"], ["share", "n"], ["%/h of the battery", "n"]], true);
  for (const [name, j, share, percent] of data.joules) row(joules, [[names[name] || name, ""], [number(j, 1), "n"], [`${number(share * 100, 1)} %`, "n"], [number(percent, 3), "n"]]);
  const delays = data.matches.map((e) => e.delay).filter((d) => d !== null).sort((a, b) => a - b);
  const happened = data.matches.filter((e) => e.time !== null).length;
  el("match").textContent = `${delays.length} of ${happened} true crossings were reported` +
    (delays.length ? `, half of them within ${number(delays[(delays.length - 1) >> 1], 0)} s` : "") +
    `; ${data.matches.length - happened} reports were of nothing.`;
  const list = el("list");
  row(list, [["true time", ""], ["", ""], ["region", ""], ["reported", ""], ["delay", "n"]], true);
  for (const e of data.matches) {
    const late = e.delay === null ? "" : length(Math.abs(e.delay));
    row(list, [
      [e.time === null ? "never" : clock(e.time), e.time === null ? "missed" : ""], [e.entry ? "entry" : "exit", ""], [data.regions[e.region].id, ""],
      [e.reported === null ? "not reported" : clock(e.reported), e.reported === null ? "missed" : ""],
      [e.delay === null ? "" : e.delay < 0 ? `${late} early` : late, e.delay > 300 ? "n late" : "n"],
    ]);
  }
  el("basis").textContent = data.basis;
  const figures = el("figures-table");
  row(figures, [["figure", ""], ["value", "n"], ["range", "n"], ["basis", ""], ["source", ""]], true);
  const short = (v) => Number(v.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
  for (const [name, value, low, high, basis, source] of data.profile) {
    const range = low === high ? "" : `${short(low)} \u2013 ${short(high)}`;
    row(figures, [[name, ""], [short(value), "n"], [range, "n"], [basis, basis === "assumed" ? "assumed" : ""], [source, ""]]);
  }

  new ResizeObserver(() => { if (isMoved || el("follow").checked) draw(); else fit(); strips(); }).observe(map);
  now = data.start + span / 2;
  fit();
  strips();
})();
