const svg = document.documentElement;
const clock = svg.querySelector("[data-time] text");
const numbers = (text) => text.match(/-?\d+/g).map(Number);
// What each group is drawn with, drawing by drawing.
const tracks = film.moving.map(({ about, there, pose, path }, number) => {
  const group = svg.querySelector(`[data-moving="${number}"]`);
  if (path) return (k) => group.querySelector("path").setAttribute("d", path[k]);
  const rows = pose.map(numbers).map((steps) => {
    let sum = 0;
    return Array.from({ length: there }, (_, k) => (sum += steps[k] || 0));
  });
  return (k) => {
    group.style.display = k < there ? "" : "none";
    if (k >= there) return;
    const [x, y, angle] = rows.map((row) => row[k]);
    group.setAttribute("transform", `translate(${x} ${y}) rotate(${angle / film.angle}) translate(${-about[0]} ${-about[1]})`);
  };
});
const said = (k) => `t = ${(film.start + k * film.step).toFixed(film.decimals)} s`;

const html = (name, attributes, parent) => {
  const element = document.createElementNS("http://www.w3.org/1999/xhtml", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
};
const room = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
const place = { x: 8, y: film.top, width: film.width - 16, height: 34, transform: `scale(${film.unit})` };
for (const [key, value] of Object.entries(place)) room.setAttribute(key, value);
svg.append(room);
// An image has no parts that can be reached.
svg.setAttribute("role", "group");
const bar = html("div", { style: "display:flex;gap:10px;align-items:center;height:34px;color:var(--figure-ink);font:13px/1.2 system-ui,sans-serif" }, room);
const button = html("button", { type: "button", style: "font:inherit;min-width:72px;min-height:26px" }, bar);
const slider = html("input", { type: "range", min: 0, max: film.count - 1, step: 1, "aria-label": "time", style: "flex:1;min-width:80px" }, bar);
const label = html("label", {}, bar);
label.append("speed ");
const speed = html("select", { style: "font:inherit;min-height:26px" }, label);
for (const factor of [0.1, 0.25, 0.5, 1, 2, 4]) html("option", { value: factor }, speed).textContent = `${factor} ×`;
speed.value = "1";

let shown = -1;
let position = film.still;
let before = null;
const show = (k) => {
  if (k === shown) return;
  shown = k;
  for (const track of tracks) track(k);
  if (clock) clock.textContent = said(k);
  slider.value = k;
  slider.setAttribute("aria-valuetext", said(k));
};
// The last drawing stays for a while before it begins anew.
const pause = 0.8 * film.speed / film.step;
const step = (now) => {
  if (before === null) return;
  position += (Math.max(0, now - before) / 1000) * film.speed * Number(speed.value) / film.step;
  before = now;
  if (position > film.count - 1 + pause) position = 0;
  show(Math.min(Math.floor(position), film.count - 1));
  requestAnimationFrame(step);
};
const play = (on) => {
  button.textContent = on ? "❚❚ Pause" : "▶ Play";
  if (on === (before !== null)) return;
  before = on ? performance.now() : null;
  if (on && position >= film.count - 1) position = 0;
  if (on) requestAnimationFrame(step);
};
const go = (k) => {
  play(false);
  position = Math.min(Math.max(k, 0), film.count - 1);
  show(position);
};
button.addEventListener("click", () => play(before === null));
slider.addEventListener("input", () => go(Number(slider.value)));
addEventListener("keydown", (event) => {
  if (event.target.closest("button, input, select")) return;
  if (event.key === " ") play(before === null);
  else if (event.key === "ArrowLeft") go(shown - 1);
  else if (event.key === "ArrowRight") go(shown + 1);
  else return;
  event.preventDefault();
});
// Paper has the drawing that stands still.
addEventListener("beforeprint", () => go(film.still));
matchMedia("print").addEventListener("change", ({ matches }) => matches && go(film.still));
show(film.still);
// On a page it waits until it is asked for, and so it does for those who want nothing to move.
play(window.parent === window && !matchMedia("(prefers-reduced-motion: reduce)").matches);
