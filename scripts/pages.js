// Checks every page of a folder in Chromium; called by pages.sh.
"use strict";
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

const [modules, browserPath, folder] = process.argv.slice(2);
const { chromium } = require(path.resolve(modules, "playwright-core"));
const axe = fs.readFileSync(path.resolve(modules, "axe-core/axe.min.js"), "utf8");

const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const LOOKS = [
  { width: 1280, scheme: "light" },
  { width: 1280, scheme: "dark" },
  { width: 390, scheme: "light" },
];
// 9 pt.
const LEAST_TEXT = 12;
// The slow-down of this machine to the speed of a phone.
const SLOWER = 4;
const MOST_SECONDS = 1;

// Finds texts that are too small, except superscripts, and the width by which the page exceeds its window.
const look = (least) => {
  const seen = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden";
  const small = new Set();
  for (const element of document.querySelectorAll("body *:not(script):not(.script):not(sup):not(sub)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!own || !seen(element) || element.closest("title, desc, option, .skip")) continue;
    const matrix = element instanceof SVGElement && element.getScreenCTM ? element.getScreenCTM() : { a: 1, b: 0 };
    const scale = Math.hypot(matrix.a, matrix.b);
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    if (size < least - 0.05) small.add(`${element.tagName} ${size.toFixed(1)} px: ${element.textContent.trim().slice(0, 40)}`);
  }
  return { small: [...small].slice(0, 5), wide: document.documentElement.scrollWidth - innerWidth };
};

// Finds tables with hidden columns after opening all details and drawing all sections, and elements that scroll without
// showing it.
const cut = async () => {
  document.querySelectorAll("details").forEach((node) => (node.open = true));
  document.querySelectorAll("section.artefact").forEach((node) => (node.style.contentVisibility = "visible"));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
  const wide = [...document.querySelectorAll(".scroll, figure, pre")].filter((node) => node.scrollWidth > node.clientWidth + 1);
  const name = (node) => `${node.tagName.toLowerCase()}.${node.className} in #${node.closest("[id]")?.id} by ${node.scrollWidth - node.clientWidth} px`;
  return {
    tables: wide.filter((node) => node.matches(".scroll")).map(name),
    silent: wide.filter((node) => !node.matches(".more-right")).map(name),
  };
};

// Returns the distances of the link target from the bottom of the fixed bar and from the end of the window.
const around = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const bar = document.querySelector("form.search");
  const top = target.getBoundingClientRect().top;
  return { below: top - (bar ? Math.max(0, bar.getBoundingClientRect().bottom) : 0), above: innerHeight - top };
};

(async () => {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const beside = pathToFileURL(path.resolve(folder, "..")).href;
  let wrong = 0;
  const say = (page, text) => {
    wrong += 1;
    console.log(`${page}: ${text}`);
  };
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith(".html")).sort()) {
    const url = pathToFileURL(path.resolve(folder, name)).href;
    for (const { width, scheme } of LOOKS) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: true });
      const page = await context.newPage();
      const where = `${name}, ${width} px, ${scheme}`;
      // Animations are files beside the page, shown in frames.
      const isBeside = (asked) => asked.startsWith(beside) && asked.endsWith(".svg");
      page.on("request", (request) => {
        if (request.url() !== url && !isBeside(request.url())) say(where, `requests ${request.url()}`);
      });
      page.on("pageerror", (error) => say(where, error.message));
      await page.goto(url);
      await page.evaluate(axe);
      const found = await page.evaluate((tags) => axe.run(document, { runOnly: { type: "tag", values: tags } }), LEVELS);
      for (const { id, nodes, help } of found.violations) {
        say(where, `${id} (${help}), ${nodes.length} times, first ${nodes[0].target.join(" ")}`);
      }
      const { small, wide } = await page.evaluate(look, LEAST_TEXT);
      small.forEach((text) => say(where, `small text: ${text}`));
      if (wide > 0) say(where, `${wide} px wider than the window`);
      const { tables, silent } = await page.evaluate(cut);
      if (width >= 1280) tables.forEach((text) => say(where, `columns cut off: ${text}`));
      silent.forEach((text) => say(where, `scrolls without showing it: ${text}`));
      if (scheme === "light") {
        const ids = await page.evaluate(() => [...document.querySelectorAll("details.statement[id]")].map((node) => node.id));
        for (const id of [0, 0.3, 0.7, 1].map((share) => ids[Math.round(share * (ids.length - 1))]).filter(Boolean)) {
          const linked = await context.newPage();
          await linked.goto(`${url}#${encodeURIComponent(id)}`);
          await linked.waitForTimeout(300);
          const { below, above } = await linked.evaluate(around);
          if (below < 0 || above < 100) say(where, `#${id} is not visible: ${below.toFixed(0)} px below the bar`);
          await linked.close();
        }
      }
      await context.close();
    }
    const context = await browser.newContext({ viewport: { width: 390, height: 900 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.goto(url);
    const seconds = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domInteractive / 1000);
    const bytes = fs.statSync(path.resolve(folder, name)).size;
    console.log(`${name}: ${(bytes / 1e6).toFixed(2)} MB, usable after ${seconds.toFixed(2)} s at a ${SLOWER}th of the speed`);
    if (seconds > MOST_SECONDS) console.log(`${name}: slower than ${MOST_SECONDS} s; not an error, the machine may be busy`);
    await context.close();
  }
  await browser.close();
  if (wrong > 0) {
    console.log(`${wrong} problems`);
    process.exit(1);
  }
})();
