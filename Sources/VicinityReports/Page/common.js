"use strict";
// What the pages share: elements, numbers, tables, legends and the map.
const page = (() => {
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
  // What a mark says: under a pointer, a finger, or the focus. In a drawing that has the focus arrow keys go from mark to mark; on a map,
  // which they move, n and p do. Escape closes it.
  const tip = (node, text) => { node.dataset.tip = text; };
  {
    const bubble = add(document.body, "div", undefined, "bubble");
    bubble.setAttribute("role", "status");
    let at = null;
    const hide = () => { if (at) at.classList.remove("at"); at = null; bubble.textContent = ""; };
    const show = (node) => {
      hide();
      at = node;
      at.classList.add("at");
      bubble.textContent = node.dataset.tip;
      const box = node.getBoundingClientRect(), own = bubble.getBoundingClientRect();
      bubble.style.left = `${Math.max(4, Math.min(innerWidth - own.width - 4, box.left + box.width / 2 - own.width / 2))}px`;
      const above = box.top - own.height - 6;
      bubble.style.top = `${above >= 4 ? above : Math.min(innerHeight - own.height - 4, box.bottom + 6)}px`;
    };
    const marked = (target) => target instanceof Element ? target.closest("[data-tip]") : null;
    document.addEventListener("pointerover", (e) => { const node = marked(e.target); if (node) show(node); });
    // A finger that is lifted leaves the bubble; the next touch closes it. A pointer may go into the bubble.
    document.addEventListener("pointerout", (e) => { if (e.pointerType !== "touch" && at && !bubble.contains(e.relatedTarget) && marked(e.relatedTarget) !== at) hide(); });
    document.addEventListener("pointerdown", (e) => { if (!marked(e.target)) hide(); });
    document.addEventListener("focusin", (e) => { const node = marked(e.target); if (node) show(node); });
    document.addEventListener("focusout", (e) => { if (at && e.target.contains(at)) hide(); });
    document.addEventListener("scroll", hide, { passive: true });
    document.addEventListener("keydown", (e) => {
      if (e.key === "Escape") return hide();
      const svg = e.target instanceof Element ? e.target.closest("svg") : null;
      if (!svg) return;
      const [forth, back] = svg.id === "map" ? [["n"], ["p"]] : [["ArrowRight", "ArrowDown"], ["ArrowLeft", "ArrowUp"]];
      const step = forth.includes(e.key) ? 1 : back.includes(e.key) ? -1 : 0;
      const marks = [...svg.querySelectorAll("[data-tip]")];
      if (!step || !marks.length) return;
      const place = at ? marks.indexOf(at) : -1;
      show(marks[place < 0 ? (step > 0 ? 0 : marks.length - 1) : (place + step + marks.length) % marks.length]);
      e.preventDefault();
    });
  }
  const number = (value, digits) => value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
  const short = (value) => Number(value.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
  const clock = (t) => new Date(t * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC";
  const length = (s) => s < 120 ? `${Math.round(s)} s` : s < 7200 ? `${Math.round(s / 60)} min` : `${number(s / 3600, 1)} h`;
  // A row of a table; the first is its head. On narrow screens a table of class "cards" shows a title above each figure.
  const titles = new WeakMap();
  const row = (table, cells, head) => {
    const tr = add(table, "tr", undefined, head ? "head" : undefined);
    if (head) titles.set(table, cells.map((c) => c[0]));
    cells.forEach(([text, cls], i) => {
      const cell = add(tr, head ? "th" : "td", text, cls);
      if (head) cell.scope = "col";
      else cell.dataset.label = (titles.get(table) || [])[i] || "";
    });
    return tr;
  };
  const legend = (id, rows) => {
    el(id).replaceChildren();
    for (const [colour, text, style] of rows) {
      const item = add(el(id), "li");
      const box = add(item, "i");
      box.style.background = colour;
      if (style) box.style.cssText += style;
      item.append(text);
    }
  };
  // How many of the regions the map draws, where these are not all.
  const drawn = () => data.regions.length < data.regionCount
    ? ` (${number(data.regions.length, 0)} of ${number(data.regionCount, 0)} are drawn, those near tracks)` : "";
  const figures = (rows) => {
    for (const [name, value, digits, unit] of rows) {
      const box = add(el("figures"), "div");
      add(box, "dt", name);
      add(box, "dd", `${number(value, digits)} ${unit}`);
    }
  };
  // A device profile's figures, their ranges and where they are from.
  const profile = () => {
    el("basis").textContent = data.basis;
    const table = el("figures-table");
    row(table, [["figure", ""], ["value", "n"], ["range", "n"], ["basis", ""], ["source", ""]], true);
    for (const [name, value, low, high, basis, source] of data.profile) {
      const range = low === high ? "" : `${short(low)} \u2013 ${short(high)}`;
      row(table, [[name, ""], [short(value), "n"], [range, "n"], [basis, basis === "assumed" ? "assumed" : ""], [source, ""]]);
    }
  };
  const colours = { gnss: "#c0504d", wifi: "#2f7ed8", cell: "#0b8290", bluetooth: "#7b61d1", sensors: "#5f8a1f", cpu: "#c46200", app: "#c43b7d", screen: "#7d7d7d", idle: "#8494a3" };
  const names = { gnss: "satellites", wifi: "Wi-Fi", cell: "cell", bluetooth: "Bluetooth", sensors: "sensors", cpu: "processor", app: "app's work", screen: "display", idle: "idle" };
  // A round step for an axis that gives at most `count` steps up to `top`.
  const niceStep = (top, count) => {
    const step = 10 ** Math.floor(Math.log10(top / count));
    return [1, 2, 5, 10].map((f) => f * step).find((f) => top / f <= count);
  };

  // What holds at a time: the index of the last row that begins at or before it; -1 before the first.
  const before = (rows, t) => {
    let low = 0, high = rows.length;
    while (low < high) { const mid = (low + high) >> 1; if (rows[mid][0] <= t) low = mid + 1; else high = mid; }
    return low - 1;
  };
  // Where a track of rows [time, latitude, longitude] is at a time; longitudes as the map unwraps them.
  const along = (track, t, near) => {
    const i = before(track, t);
    if (i < 0) return track[0];
    const a = track[i], b = track[i + 1];
    if (!b) return a;
    const f = (t - a[0]) / (b[0] - a[0]);
    return [t, a[1] + (b[1] - a[1]) * f, near(a[2]) + (near(b[2]) - near(a[2])) * f];
  };
  // The slider over a span of time, the button that plays it in 40 seconds, and the clock. `move` is called with each time that is set.
  const player = (move) => {
    const slider = el("slider"), button = el("play");
    const p = { start: 0, end: 0, now: 0 };
    let timer = null;
    const stop = () => { cancelAnimationFrame(timer); timer = null; button.innerHTML = "&#9654;"; button.setAttribute("aria-label", "Play"); };
    p.show = () => {
      const span = p.end - p.start;
      el("clock").textContent = clock(p.now);
      slider.value = span > 0 ? Math.round((p.now - p.start) / span * 1000) : 0;
      slider.setAttribute("aria-valuetext", clock(p.now));
    };
    p.set = (t) => { p.now = t; move(t); };
    p.begin = (start, end, now) => { if (timer !== null) stop(); Object.assign(p, { start, end, now }); };
    slider.oninput = () => p.set(p.start + slider.value / 1000 * (p.end - p.start));
    button.onclick = () => {
      if (timer !== null) return stop();
      if (p.now >= p.end) p.now = p.start;
      button.innerHTML = "&#10074;&#10074;";
      button.setAttribute("aria-label", "Pause");
      let last = performance.now();
      const tick = (t) => {
        p.set(Math.min(p.end, p.now + (p.end - p.start) / 40 * (t - last) / 1000));
        last = t;
        if (p.now >= p.end) stop(); else timer = requestAnimationFrame(tick);
      };
      timer = requestAnimationFrame(tick);
    };
    return p;
  };

  // A map in Web Mercator, the world one unit wide. Longitudes are unwrapped to lie within 180 degrees of the first.
  function map({ svg, scale, first, glyphs, drawn }) {
    const rad = Math.PI / 180;
    const near = (lon) => lon + 360 * Math.round((first - lon) / 360);
    const X = (lon) => near(lon) / 360 + 0.5;
    const Y = (lat) => {
      const s = Math.sin(Math.max(-85, Math.min(85, lat)) * rad);
      return 0.5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI);
    };
    const metre = (lat) => 1 / (40075016.686 * Math.max(0.02, Math.cos(lat * rad)));
    // Vectors are drawn in units of what is shown around its middle: SVG's single precision does not hold the world's.
    let west = Infinity, east = -Infinity, north = Infinity, south = -Infinity;
    const m = { near, isMoved: false, view: { x: 0, y: 0, s: 1 }, origin: [0.5, 0.5], unit: 1 };
    // What the map shows at first.
    m.take = (lat, lon, r) => {
      const d = r * metre(lat), x = X(lon), y = Y(lat);
      west = Math.min(west, x - d); east = Math.max(east, x + d); north = Math.min(north, y - d); south = Math.max(south, y + d);
    };
    m.begin = () => {
      if (!(west <= east)) { west = 0.49; east = 0.51; north = 0.49; south = 0.51; }
      m.origin = [(west + east) / 2, (north + south) / 2];
      m.unit = Math.max(east - west, south - north, 1e-7);
    };
    m.x = (lon) => (X(lon) - m.origin[0]) / m.unit * 1000;
    m.y = (lat) => (Y(lat) - m.origin[1]) / m.unit * 1000;
    m.r = (lat, r) => r * metre(lat) / m.unit * 1000;
    // Of points [latitude, longitude].
    m.path = (points) => points.map((p, i) => `${i ? "L" : "M"}${m.x(p[1]).toFixed(3)} ${m.y(p[0]).toFixed(3)}`).join("");
    m.region = (r, parent) => {
      const node = r.outline
        ? make("path", { d: r.outline.map((ring) => m.path(ring) + "Z").join(""), class: "region", "fill-rule": "evenodd" }, parent)
        : make("circle", { cx: m.x(r.longitude), cy: m.y(r.latitude), r: m.r(r.latitude, r.radius), class: "region" }, parent);
      tip(node, r.id);
      return node;
    };
    // Entries are diamonds, exits squares; u is half their size.
    m.mark = (lat, lon, isEntry, u) => {
      const x = m.x(lon), y = m.y(lat);
      return isEntry
        ? `M${x} ${y - u}L${x + u} ${y}L${x} ${y + u}L${x - u} ${y}Z`
        : `M${x - u * .8} ${y - u * .8}h${1.6 * u}v${1.6 * u}h${-1.6 * u}Z`;
    };
    m.size = () => { const b = svg.getBoundingClientRect(); return [b.width || 800, b.height || 450]; };
    // What fitting shows: points [latitude, longitude], or everything.
    let focus = null;
    m.focus = (points) => {
      focus = null;
      if (points && points.length) {
        focus = [Infinity, -Infinity, Infinity, -Infinity];
        for (const [lat, lon] of points) {
          const d = 150 * metre(lat), x = X(lon), y = Y(lat);
          focus = [Math.min(focus[0], x - d), Math.max(focus[1], x + d), Math.min(focus[2], y - d), Math.max(focus[3], y + d)];
        }
      }
      m.fit();
    };
    m.fit = () => {
      const [w, h] = m.size();
      const [l, r, t, b] = focus || [west, east, north, south];
      m.isMoved = false;
      const s = 0.92 * Math.min(w / ((r - l) / m.unit * 1000 || 1), h / ((b - t) / m.unit * 1000 || 1));
      m.view = { x: ((l + r) / 2 - m.origin[0]) / m.unit * 1000, y: ((t + b) / 2 - m.origin[1]) / m.unit * 1000, s };
      m.draw();
    };
    // The greater side of a box around points, metres, about.
    m.extent = (points) => {
      const xs = points.map((p) => X(p[1])), ys = points.map((p) => Y(p[0]));
      return points.length ? Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) / metre(points[0][0]) : 0;
    };
    m.draw = () => {
      const [w, h] = m.size(), view = m.view;
      svg.setAttribute("viewBox", `${view.x - w / 2 / view.s} ${view.y - h / 2 / view.s} ${w / view.s} ${h / view.s}`);
      glyphs(view.s);
      // A round length of about 100 pixels.
      const lat = Math.atan(Math.sinh(Math.PI * (1 - 2 * (m.origin[1] + view.y / 1000 * m.unit)))) / rad;
      const perPixel = m.unit / 1000 / view.s / metre(lat);
      const wanted = 110 * perPixel, power = 10 ** Math.floor(Math.log10(wanted));
      const round = [5, 2, 1].map((f) => f * power).find((f) => f <= wanted);
      scale.style.width = `${round / perPixel}px`;
      scale.textContent = round >= 1000 ? `${round / 1000} km` : `${round} m`;
      if (drawn) drawn(w, h);
    };
    const zoom = (factor, at) => {
      m.isMoved = true;
      const [w, h] = m.size();
      const p = at || [w / 2, h / 2];
      const dx = (p[0] - w / 2) / m.view.s, dy = (p[1] - h / 2) / m.view.s;
      const s = Math.max(1e-3, Math.min(1e5, m.view.s * factor));
      m.view = { x: m.view.x + dx * (1 - m.view.s / s), y: m.view.y + dy * (1 - m.view.s / s), s };
      m.draw();
    };
    svg.addEventListener("wheel", (e) => {
      e.preventDefault();
      const b = svg.getBoundingClientRect();
      zoom(Math.exp(-e.deltaY * 0.0015), [e.clientX - b.left, e.clientY - b.top]);
    }, { passive: false });
    const pointers = new Map();
    svg.addEventListener("pointerdown", (e) => { svg.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); });
    svg.addEventListener("pointermove", (e) => {
      const old = pointers.get(e.pointerId);
      if (!old) return;
      const others = [...pointers.entries()].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      if (others.length) {
        const distance = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
        const b = svg.getBoundingClientRect();
        zoom(distance([e.clientX, e.clientY]) / Math.max(1, distance(old)), [(e.clientX + others[0][0]) / 2 - b.left, (e.clientY + others[0][1]) / 2 - b.top]);
      } else {
        m.isMoved = true;
        m.view.x -= (e.clientX - old[0]) / m.view.s;
        m.view.y -= (e.clientY - old[1]) / m.view.s;
        m.draw();
      }
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, (e) => pointers.delete(e.pointerId));
    svg.addEventListener("keydown", (e) => {
      const step = 60 / m.view.s;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (moves[e.key]) { m.isMoved = true; m.view.x += moves[e.key][0]; m.view.y += moves[e.key][1]; m.draw(); }
      else if (e.key === "+" || e.key === "=") zoom(1.4);
      else if (e.key === "-") zoom(1 / 1.4);
      else if (e.key === "0") m.fit();
      else return;
      e.preventDefault();
    });
    el("zoom-in").onclick = () => zoom(1.5);
    el("zoom-out").onclick = () => zoom(1 / 1.5);
    el("fit").onclick = () => m.fit();
    return m;
  }

  return { data, el, make, add, tip, number, short, clock, length, row, legend, drawn, figures, profile, colours, names, niceStep, before, along, player, map };
})();
