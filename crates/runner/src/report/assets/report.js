// Hide and show series by their legend entries; read values under the pointer. The page is complete without it.
"use strict";
// Corners of the subpaths of a path that is written with m, h, v, z and whole numbers; of a circle, which is an arc, its two ends.
const subpaths = (data) => {
  const found = [];
  let [x, y] = [0, 0];
  for (const [, letter, rest] of data.matchAll(/([mahvz])([^mahvz]*)/g)) {
    const numbers = (rest.match(/-?\d+/g) || []).map(Number);
    if (letter === "z") [x, y] = found.at(-1)[0];
    if (letter === "a") found.at(-1).push([x + 2 * numbers[0], y]);
    if (letter === "h") found.at(-1).push([(x += numbers[0]), y]);
    if (letter === "v") found.at(-1).push([x, (y += numbers[0])]);
    if (letter !== "m") continue;
    found.push([]);
    for (let k = 0; k < numbers.length; k += 2) found.at(-1).push([(x += numbers[k]), (y += numbers[k + 1])]);
  }
  return found;
};
for (const svg of document.querySelectorAll("figure svg")) {
  const parts = (kind, name) => [...svg.querySelectorAll(`[data-${kind}]`)].filter((g) => g.dataset[kind] === name);
  const toggle = (name) => {
    const off = !parts("legend", name)[0].classList.contains("off");
    for (const g of parts("legend", name)) {
      g.classList.toggle("off", off);
      g.setAttribute("aria-pressed", String(!off));
    }
    for (const g of parts("series", name)) g.classList.toggle("hidden", off);
  };
  const named = new Set();
  for (const entry of svg.querySelectorAll("[data-legend]")) {
    const name = entry.dataset.legend;
    entry.setAttribute("pointer-events", "bounding-box");
    entry.addEventListener("click", () => toggle(name));
    if (named.has(name)) continue;
    named.add(name);
    // An image has no parts that can be reached.
    svg.setAttribute("role", "group");
    entry.setAttribute("role", "button");
    entry.setAttribute("tabindex", "0");
    entry.setAttribute("aria-pressed", "true");
    entry.setAttribute("aria-label", `show ${name}`);
    entry.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle(name);
    });
  }

  // All drawn points of the series, in the coordinates of the picture, when they are asked for; a marker is where the middle of its
  // corners is.
  let points = null;
  const drawn = () => {
    if (points) return points;
    points = [];
    for (const g of svg.querySelectorAll("[data-series]")) {
      for (const path of g.querySelectorAll("path")) {
        for (const corners of subpaths(path.getAttribute("d"))) {
          const middle = [0, 1].map((k) => corners.reduce((sum, corner) => sum + corner[k], 0) / corners.length);
          for (const [x, y] of path.classList.contains("marks") ? [middle] : corners) points.push([x, y, g]);
        }
      }
      for (const dot of g.querySelectorAll("circle")) points.push([dot.cx.baseVal.value, dot.cy.baseVal.value, g]);
    }
    return points;
  };
  const scale = (text) => {
    const [low, high, kind, ...name] = text.split(" ");
    const log = kind === "log";
    const [a, b] = [low, high].map((value) => (log ? Math.log10(+value) : +value));
    return { at: (share) => (log ? 10 ** (a + share * (b - a)) : a + share * (b - a)), name: name.join(" ") };
  };
  const figure = svg.parentElement;
  const reading = document.createElement("div");
  reading.id = "reading";
  const digits = (value) => Number(value.toPrecision(4)).toString();
  for (const frame of svg.querySelectorAll("rect.frame")) {
    const [left, top, width, height] = ["x", "y", "width", "height"].map((key) => frame[key].baseVal.value);
    const [x, y] = [scale(frame.dataset.x), scale(frame.dataset.y)];
    const isInside = ([px, py]) => px >= left - 10 && px <= left + width + 10 && py >= top - 10 && py <= top + height + 10;
    let inside = null;
    frame.addEventListener("pointermove", (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      let best = null;
      inside ??= drawn().filter(isInside);
      for (const [px, py, g] of inside) {
        if (g.classList.contains("hidden")) continue;
        const distance = Math.hypot(px - at.x, py - at.y);
        if (best === null || distance < best.distance) best = { distance, px, py, g };
      }
      if (best === null) return reading.remove();
      const name = best.g.dataset.series ? `${best.g.dataset.series}: ` : "";
      const values = `${x.name} ≈ ${digits(x.at((best.px - left) / width))}, ${y.name} ≈ ${digits(y.at((top + height - best.py) / height))}`;
      reading.textContent = name + values;
      figure.append(reading);
      const box = figure.getBoundingClientRect();
      const room = Math.max(0, box.width - reading.offsetWidth);
      reading.style.left = `${Math.min(event.clientX - box.left + 12, room)}px`;
      reading.style.top = `${event.clientY - box.top + 16}px`;
    });
    frame.addEventListener("pointerleave", () => reading.remove());
  }
}
// What is gone to stops below the bar that stays in sight, in however many rows that is.
for (const bar of document.querySelectorAll("form.search")) {
  const measure = () => {
    const height = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    document.documentElement.style.setProperty("--bar", `${height}px`);
  };
  bar.hidden = false;
  measure();
  new ResizeObserver(measure).observe(bar);
}

// A link to a statement opens it; paper shows what does not hold in full. Parts that come into sight get their true heights and
// move what is below them, so the target is gone to until it stays.
const open = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  let before = null;
  const go = (times) => {
    target.scrollIntoView();
    const { top } = target.getBoundingClientRect();
    if (times > 0 && top !== before) requestAnimationFrame(() => requestAnimationFrame(() => go(times - 1)));
    before = top;
  };
  if (target) go(8);
};
addEventListener("hashchange", open);
open();
addEventListener("beforeprint", () => document.querySelectorAll("details.statement:not(.reproduced)").forEach((node) => (node.open = true)));

// What is wider than its room is reached by keys as well, and shows at which edges it goes on.
const edges = (wide) => {
  const hidden = wide.scrollWidth - wide.clientWidth;
  wide.classList.toggle("more-left", hidden > 1 && wide.scrollLeft > 1);
  wide.classList.toggle("more-right", hidden > 1 && wide.scrollLeft < hidden - 1);
  if (hidden > 1) wide.tabIndex = 0;
};
const sizes = new ResizeObserver((all) => all.forEach(({ target }) => edges(target)));
for (const wide of document.querySelectorAll(".scroll, figure, pre")) {
  edges(wide);
  sizes.observe(wide);
  wide.addEventListener("scroll", () => edges(wide), { passive: true });
}

// Find statements by the words of their cards and by their attributes. Arrows go from one to the next, Enter opens the first.
for (const form of document.querySelectorAll("form.search")) {
  const statements = [...document.querySelectorAll(".statement")];
  const texts = statements.map((each) => each.textContent.toLowerCase());
  const [words, ...by] = form.elements;
  const find = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const selects = by.filter((field) => field.dataset.by && field.value);
    const isAny = wanted.length + selects.length > 0;
    let found = 0;
    statements.forEach((each, k) => {
      const has = (select) => (each.dataset[select.dataset.by] || "").split(" ").includes(select.value);
      const fits = wanted.every((word) => texts[k].includes(word)) && selects.every(has);
      each.hidden = !fits;
      found += fits;
    });
    document.body.classList.toggle("searching", isAny);
    for (const part of document.querySelectorAll("section.artefact")) {
      part.hidden = isAny && ![...part.querySelectorAll(".statement")].some((each) => !each.hidden);
    }
    for (const all of document.querySelectorAll("details.all")) all.open = isAny;
    form.querySelector("output").textContent = isAny ? `${found} of ${statements.length}` : "";
  };
  const shown = () => statements.filter((each) => !each.hidden).map((each) => each.querySelector("summary, a"));
  document.addEventListener("keydown", (event) => {
    const [step, all] = [{ ArrowDown: 1, ArrowUp: -1 }[event.key], [words, ...shown()]];
    const at = all.indexOf(document.activeElement);
    if (!step || at < 0 || !all[at + step]) return;
    event.preventDefault();
    all[at + step].focus();
  });
  form.addEventListener("input", find);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    shown()[0]?.focus();
    shown()[0]?.click();
  });
}

// Leave some methods in the matrix: by words of their names, any of which will do, and by family.
for (const form of document.querySelectorAll("form.filter")) {
  form.hidden = false;
  const [words, family] = form.elements;
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelectorAll("table.matrix tr[data-method]")) {
      const name = row.dataset.method.toLowerCase();
      const fits = wanted.length === 0 || wanted.some((word) => name.includes(word));
      row.hidden = !(fits && (!family.value || row.dataset.family === family.value));
    }
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
}
