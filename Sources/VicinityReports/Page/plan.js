"use strict";
(() => {
  const { data, el, make, add, number, clock, length, row, legend } = page;
  const metres = (m) => m === null ? "" : m >= 10000 ? `${number(m / 1000, 1)} km` : `${number(m, 0)} m`;
  const reasons = {
    noSlots: "no slot is free", tooManyPinned: "more regions are pinned than there are slots",
    tooManyOccupied: "the device is in more regions than there are slots", errorTooLarge: "the position may be in a region that is left out",
    radiusTooSmall: "the disc would be smaller than a phone can watch",
  };
  el("title").textContent = data.title;
  el("subtitle").textContent = "The regions that a device with few slots registers along its track, and the disc in which that choice holds.";
  page.figures(data.figures);

  let device = data.devices[0];
  const map = page.map({ svg: el("map"), scale: el("scale").firstElementChild, first: device.track.length ? device.track[0][2] : 0, glyphs });
  const { x: px, y: py, r: pr, near } = map;
  for (const d of data.devices) {
    for (const p of d.track) map.take(p[1], p[2], 50);
    for (const [, plan] of d.plans) if (plan.disc) map.take(...plan.disc);
  }
  map.begin();
  const shapes = data.regions.map((r) => map.region(r, el("regions")));
  const disc = make("circle", { class: "disc", r: 0, cx: 0, cy: 0 }, el("disc"));
  const made = make("circle", { class: "made", r: 3, cx: 0, cy: 0 }, el("now"));
  const dot = make("circle", { class: "device", r: 5, cx: 0, cy: 0 }, el("now"));
  // Of one size on the screen whatever the zoom.
  function glyphs(scale) { dot.setAttribute("r", 6 / scale); made.setAttribute("r", 4 / scale); }
  legend("map-legend", [
    ["var(--track)", "track"], ["var(--registered-fill)", "registered now", "border:2px solid var(--registered)"],
    ["var(--region-fill)", "other region" + page.drawn(), "border:1px solid var(--region)"],
    ["none", "safe disc: no region that is not registered reaches into it", "border:2px dashed var(--accent)"],
    ["var(--paper)", "where the plan was made", "border:2px solid var(--accent)"],
    ["none", "would need a slot and has none", "border:2px solid var(--reported)"],
  ]);

  const player = page.player(move);
  let shown = -1, lines = [];
  const holds = (plan) => plan.disc ? `until ${metres(plan.disc[2])} from there` : plan.all ? "for good: every region is registered" : plan.due ? `until a fix at ${clock(plan.due)}` : "";
  const used = (plan) => `${plan.registered.length} ${plan.registered.length === 1 ? "region" : "regions"}${plan.used > plan.registered.length ? " and a sentinel" : ""}`;
  function show(i) {
    shown = i;
    const plan = i < 0 ? null : device.plans[i][1];
    const on = new Set(plan ? plan.registered.map((r) => r[0]) : []), left = new Set(plan && plan.left ? plan.left.map((r) => r[0]) : []);
    shapes.forEach((node, r) => node.setAttribute("class", on.has(r) ? "region on" : left.has(r) ? "region left" : "region"));
    disc.setAttribute("visibility", plan && plan.disc ? "visible" : "hidden");
    made.setAttribute("visibility", plan ? "visible" : "hidden");
    el("registered").replaceChildren(el("registered").caption);
    lines.forEach((line, n) => { line.classList.toggle("chosen", n === i); });
    if (!plan) return;
    if (plan.disc) { disc.setAttribute("cx", px(plan.disc[1])); disc.setAttribute("cy", py(plan.disc[0])); disc.setAttribute("r", pr(plan.disc[0], plan.disc[2])); }
    made.setAttribute("cx", px(plan.at[1]));
    made.setAttribute("cy", py(plan.at[0]));
    row(el("registered"), [["no.", "n"], ["region", ""], ["boundary", "n"]], true);
    plan.registered.forEach(([r, distance], n) => row(el("registered"), [[`${n + 1}`, "n"], [data.regions[r].id, ""], [distance <= 0 ? `${metres(-distance)} inside` : metres(distance), "n"]]));
  }
  function move() {
    const now = player.now, i = page.before(device.plans, now);
    if (i !== shown) show(i);
    player.show();
    if (!device.track.length) return;
    const p = page.along(device.track, now, near);
    dot.setAttribute("cx", px(p[2]));
    dot.setAttribute("cy", py(p[1]));
    const plan = i < 0 ? null : device.plans[i][1];
    el("moment").textContent = !plan ? "No plan yet." :
      `Plan ${number(i + 1, 0)} of ${number(device.plans.length, 0)}, ${length(now - device.plans[i][0])} old: ${used(plan)}, ${plan.used} of ${data.slots} slots. ` +
      (plan.saturated ? `Saturated: ${reasons[plan.saturated] || plan.saturated}. ` : "") + (holds(plan) ? `It holds ${holds(plan)}.` : "");
    el("previous").disabled = i <= 0;
    el("next").disabled = i + 1 >= device.plans.length;
    if (el("follow").checked) { map.view.x = px(p[2]); map.view.y = py(p[1]); map.draw(); }
  }
  const go = (i) => { if (device.plans[i]) player.set(device.plans[i][0]); };
  el("previous").onclick = () => go(shown - 1);
  el("next").onclick = () => go(shown + 1);
  el("follow").onchange = move;

  function choose(d) {
    device = d;
    el("track").setAttribute("d", map.path(d.track.map((p) => [p[1], p[2]])));
    const table = el("plans");
    table.replaceChildren(table.caption);
    row(table, [["time", ""], ["slots", ""], ["holds", ""], ["no other region within", "n"], ["saturated", ""]], true);
    lines = d.plans.map(([time, plan], i) => {
      const line = row(table, [["", ""], [used(plan), ""], [holds(plan), ""], [plan.all ? "all registered" : metres(plan.certificate), "n"], [plan.saturated ? reasons[plan.saturated] || plan.saturated : "", ""]]);
      const button = add(line.firstElementChild, "button", clock(time));
      button.type = "button";
      button.onclick = () => go(i);
      return line;
    });
    const more = [];
    if (d.planCount > d.plans.length) more.push(`The first ${number(d.plans.length, 0)} of ${number(d.planCount, 0)} plans are shown, and the track up to there.`);
    if (data.deviceCount > data.devices.length) more.push(`The first ${data.devices.length} of ${number(data.deviceCount, 0)} devices are shown.`);
    el("more").textContent = more.join(" ");
    el("more").hidden = !more.length;
    shown = -2;
    const times = d.track.map((p) => p[0]);
    player.begin(times.length ? times[0] : 0, times.length ? times.at(-1) : 0, times.length ? times[0] : 0);
    const points = d.track.map((p) => [p[1], p[2]]);
    for (const [, plan] of d.plans) {
      if (!plan.disc) continue;
      const [lat, lon, r] = plan.disc, north = r / 111320, east = north / Math.max(0.02, Math.cos(lat * Math.PI / 180));
      points.push([lat + north, lon], [lat - north, lon], [lat, lon + east], [lat, lon - east]);
    }
    map.focus(points);
    move();
  }
  if (data.devices.length > 1) {
    el("devices").hidden = false;
    data.devices.forEach((d, i) => { add(el("device"), "option", d.name).value = i; });
    el("device").onchange = (e) => choose(data.devices[e.target.value]);
  }
  choose(device);
  new ResizeObserver(() => { if (map.isMoved || el("follow").checked) map.draw(); else map.fit(); }).observe(el("map"));
})();
