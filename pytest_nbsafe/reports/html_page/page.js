"use strict";
// Everything of a notebook is put into the page as text: nothing of it is ever read as HTML.
(() => {
  const KEYWORDS = new Set(
    ("False None True and as assert async await break class continue def del elif else except " +
      "finally for from global if import in is lambda nonlocal not or pass raise return try while " +
      "with yield match case").split(" ")
  );
  const TOKENS = /(#[^\n]*)|("""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([A-Za-z_]\w*)/g;
  const MOST_ARCS = 4000;
  const byId = (id) => document.getElementById(id);
  const overview = byId("overview");
  const notebookView = byId("notebook");
  let chosen = 0;
  let shown = null;

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "onclick") node.addEventListener("click", value);
      else if (value !== false && value !== null) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  function draw(tag, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }
  // A sentence of ours, in which code stands between backticks.
  function said(sentence) {
    const parts = sentence.split("`");
    if (parts.length % 2 === 0) return [sentence];
    return parts.map((part, i) => (i % 2 ? make("code", {}, part) : part)).filter((p) => p !== "");
  }
  function severities(findings) {
    return findings.some((f) => f.severity === "error")
      ? "error"
      : findings.some((f) => f.severity === "warning")
        ? "warning"
        : "";
  }

  // ---------------------------------------------------------------- overview

  const rows = [...overview.querySelectorAll("tbody tr")];
  const wanted = { text: "", code: "", status: "" };
  function filter() {
    let left = 0;
    for (const row of rows) {
      const fits =
        row.dataset.text.includes(wanted.text) &&
        (!wanted.code || row.dataset.codes.split(" ").includes(wanted.code)) &&
        (!wanted.status || row.dataset.status === wanted.status);
      row.classList.toggle("hidden", !fits);
      left += fits;
    }
    byId("left").textContent = left === rows.length ? "" : `${left} of ${rows.length} shown`;
  }
  byId("search").addEventListener("input", (event) => {
    wanted.text = event.target.value.toLowerCase();
    filter();
  });
  for (const button of overview.querySelectorAll("button[data-code], button[data-status]")) {
    button.addEventListener("click", () => {
      const kind = button.dataset.code ? "code" : "status";
      const value = button.dataset[kind];
      wanted[kind] = wanted[kind] === value ? "" : value;
      for (const other of overview.querySelectorAll(`button[data-${kind}]`)) {
        other.setAttribute("aria-pressed", String(other.dataset[kind] === wanted[kind]));
      }
      filter();
    });
  }

  // ---------------------------------------------------------------- a notebook

  function source(cell, findings) {
    const marked = new Map();
    for (const finding of findings) {
      for (let line = finding.line; line <= (finding.endLine || finding.line); line++) {
        if (finding.severity === "error" || !marked.has(line)) marked.set(line, finding.severity);
      }
    }
    const lines = [[]];
    const add = (text, kind) =>
      text.split("\n").forEach((part, i) => {
        if (i) lines.push([]);
        if (part) lines[lines.length - 1].push(kind ? make("span", { class: kind }, part) : part);
      });
    let at = 0;
    for (const found of cell.source.matchAll(TOKENS)) {
      add(cell.source.slice(at, found.index), "");
      const kind = found[1] ? "c" : found[2] ? "s" : KEYWORDS.has(found[3]) ? "k" : "";
      add(found[0], kind);
      at = found.index + found[0].length;
    }
    add(cell.source.slice(at), "");
    const items = lines.map((parts, i) =>
      make("li", { "data-line": i + 1, class: marked.get(i + 1) || null }, ...parts)
    );
    return make(
      "div",
      { class: "source", tabindex: "0", role: "region", "aria-label": `source of cell ${cell.number}` },
      make("ol", {}, ...items)
    );
  }
  function output([kind, text, media], number) {
    if (kind === "image") {
      return make("img", { alt: `picture that cell ${number} shows`, src: `data:${media};base64,${text}` });
    }
    const names = { error: "fault", stderr: "stderr" };
    return make("pre", { class: names[kind] || null, tabindex: "0" }, text);
  }
  // The lines that only one of two texts has are marked.
  function compared(mine, theirs, tag, number) {
    const others = new Set(theirs.filter((o) => o[0] !== "image").flatMap((o) => o[1].split("\n")));
    return mine.map((each) => {
      if (each[0] === "image") return output(each, number);
      const lines = each[1].split("\n");
      const marked = lines.flatMap((line, i) => [
        others.has(line) || !line ? line : make(tag, {}, line),
        i + 1 < lines.length ? "\n" : "",
      ]);
      return make("pre", { tabindex: "0" }, ...marked);
    });
  }
  function outputs(cell) {
    if (!cell.saved.length && !cell.new.length) return null;
    if (cell.changed) {
      return make(
        "div",
        { class: "outputs two" },
        make("div", {}, make("h3", {}, "saved"), ...compared(cell.saved, cell.new, "del", cell.number)),
        make("div", {}, make("h3", {}, "new"), ...compared(cell.new, cell.saved, "ins", cell.number))
      );
    }
    const all = cell.new.length ? cell.new : cell.saved;
    return make("div", { class: "outputs" }, ...all.map((each) => output(each, cell.number)));
  }
  function step([cell, line, cause], number) {
    const where = cell ? `cell ${cell} (line ${line})` : "the notebook";
    const link = cell
      ? make("a", { href: `#${number}/${cell}` }, where)
      : where;
    return make("li", {}, link, " ", ...said(cause));
  }
  function findingBox(finding, number) {
    return make(
      "div",
      { class: `finding ${finding.severity}` },
      make(
        "p",
        {},
        make("strong", {}, `${finding.code} ${finding.name}`),
        ` (${finding.severity}, ${finding.verdict})`,
        finding.cell ? ` line ${finding.line}` : ""
      ),
      make("p", {}, ...said(finding.message)),
      finding.steps.length ? make("ol", {}, ...finding.steps.map((each) => step(each, number))) : null,
      finding.remedy ? make("p", { class: "fix" }, "To fix: ", ...said(finding.remedy)) : null,
      finding.patch.length ? make("pre", { class: "patch", tabindex: "0" }, finding.patch.join("\n")) : null
    );
  }
  function cellBox(cell, findings, number) {
    if (cell.kind !== "code") {
      const lines = cell.source.split("\n").flatMap((line) => [/^#+ /.test(line) ? make("strong", {}, line) : line, "\n"]);
      return make("div", { class: "cell", id: `cell-${cell.number}` }, make("div", { class: "prose" }, ...lines));
    }
    const count = cell.count === null ? "[ ]" : `[${cell.count}]`;
    const took = cell.took >= 0.05 ? `${cell.took.toFixed(1)} s` : "";
    const status = cell.status && cell.status !== "ok" ? make("span", { class: "tag error" }, cell.status) : null;
    const name = make(
      "button",
      { type: "button", onclick: () => go(number, cell.number) },
      `cell ${cell.number} ${count}`
    );
    return make(
      "div",
      { class: "cell", id: `cell-${cell.number}` },
      make("div", { class: "head" }, name, took, status),
      source(cell, findings),
      ...findings.map((finding) => findingBox(finding, number)),
      outputs(cell)
    );
  }
  function strip(notebook, number) {
    if (!notebook.plan.length) return null;
    let before = 0;
    let session = 1;
    const items = [];
    for (const [cell, count, reason, ofSession, probability] of notebook.plan) {
      if (ofSession !== session) items.push(make("li", { class: "cut", title: "a new session" }));
      session = ofSession;
      const sure = probability === null ? "" : ` (${Math.round(100 * probability)}%)`;
      const title = `cell ${cell}${count === null ? "" : `, count ${count}`}: ${reason}${sure}`;
      items.push(
        make(
          "li",
          { class: cell < before ? "back" : null },
          make(
            "button",
            { type: "button", title, "aria-label": title, onclick: () => go(number, cell) },
            String(cell)
          )
        )
      );
      before = cell;
    }
    return make(
      "section",
      { class: "strip", tabindex: "0", "aria-label": "the plan" },
      make("h2", {}, `the ${notebook.order} order, run by run; marked where it goes back up the page`),
      make("ol", {}, ...items)
    );
  }
  function clipped(name) {
    return name.length > 16 ? `${name.slice(0, 15)}\u2026` : name;
  }
  function graph(notebook, number) {
    const code = notebook.cells.filter((cell) => cell.kind === "code");
    const height = Math.max(10, Math.min(22, 1400 / Math.max(code.length, 1)));
    const top = 12;
    const y = new Map(code.map((cell, i) => [cell.number, top + i * height]));
    const arcs = [];
    for (const cell of code) {
      for (const [name, from] of cell.reads) {
        if (arcs.length >= 2 * MOST_ARCS || !y.has(from)) continue;
        const [a, b] = [y.get(from), y.get(cell.number)];
        const reach = 44 + Math.min(200, 8 + Math.abs(b - a) / 2.2);
        const arc = draw("path", { class: "arc", d: `M 44 ${a} C ${reach} ${a}, ${reach} ${b}, 44 ${b}` });
        arc.dataset.from = from;
        arc.dataset.to = cell.number;
        arc.append(draw("title", {}, `cell ${cell.number} reads ${name} of cell ${from}`));
        const edge = draw("text", { class: "edge", x: 15 + reach * 0.75, y: (a + b) / 2 + 3 }, clipped(name));
        edge.dataset.from = from;
        edge.dataset.to = cell.number;
        arcs.push(arc, edge);
      }
    }
    const nodes = code.flatMap((cell) => {
      const mark = severities(notebook.findings.filter((f) => f.cell === cell.number));
      const node = draw("circle", { class: `node ${mark}`, cx: 40, cy: y.get(cell.number), r: 4.5 });
      node.dataset.cell = cell.number;
      const says = `cell ${cell.number} makes ${cell.makes.join(", ") || "no name"}`;
      node.append(draw("title", {}, says));
      const link = draw("a", { href: `#${number}/${cell.number}`, "aria-label": says }, node);
      const label = draw("text", { x: 28, y: y.get(cell.number) + 4, "text-anchor": "end" }, String(cell.number));
      return height < 11 && cell.number % 5 ? [link] : [label, link];
    });
    const size = top * 2 + code.length * height;
    const picture = draw(
      "svg",
      { viewBox: `0 0 290 ${size}`, width: "100%", role: "group", "aria-label": "which cell reads what of which" },
      ...arcs,
      ...nodes
    );
    return make("section", {}, make("h2", {}, "which cell reads what of which"), picture);
  }
  function made(name, cell) {
    const words = cell.differs.includes(name) ? [" ", make("span", { class: "tag error" }, "another value in the plan")] : [];
    return make("li", {}, make("code", {}, name), ...words);
  }
  function parting(notebook, number) {
    if (!notebook.parting) return "";
    const [cell, name, read, there, here] = notebook.parting;
    const at = (other) => (other ? make("a", { href: `#${number}/${other}` }, `cell ${other}`) : "no cell");
    const made = name ? [": ", make("code", {}, name), " is another value"] : [];
    const from = read ? [", made from ", make("code", {}, read)] : [];
    const ways = there !== here ? [", which comes from ", at(there), " in the plan and from ", at(here), " on the page"] : [];
    return make("p", { class: "parting" }, "The plan and the run from top to bottom part first in ", at(cell), ...made, ...from, ...ways, ".");
  }
  function details(notebook, cell, number) {
    const links = (pairs) =>
      pairs.map(([name, other, words]) =>
        make("li", {}, make("code", {}, name), ` ${words} `, make("a", { href: `#${number}/${other}` }, `cell ${other}`))
      );
    const readers = notebook.cells.flatMap((other) => {
      const names = other.reads.filter(([, from]) => from === cell.number).map(([name]) => name);
      return names.length ? [[names.join(", "), other.number, "in"]] : [];
    });
    const mine = notebook.findings.filter((f) => f.cell === cell.number);
    const stale = mine.some((f) => f.code.startsWith("NBS2"));
    const list = (items, none) => (items.length ? make("ul", {}, ...items) : make("p", {}, none));
    return [
      make("h2", {}, `cell ${cell.number}`),
      make("p", {}, stale ? make("span", { class: "tag error" }, "stale") : make("span", { class: "tag" }, cell.status || "not run")),
      make("strong", {}, "reads"),
      list(links(cell.reads.map(([name, from]) => [name, from, "of"])), "no name of another cell"),
      make("strong", {}, "makes"),
      list(cell.makes.map((name) => made(name, cell)), "no name"),
      make("strong", {}, "is read by"),
      list(links(readers), "no other cell"),
    ];
  }
  function render(number) {
    const data = byId(`data-${number}`);
    if (!data) return null;
    const notebook = JSON.parse(data.textContent);
    const at = (cell) => notebook.findings.filter((f) => f.cell === cell);
    const verdict = notebook.verdict;
    const box = make("div", { class: "cells" });
    box.append(...at(0).map((finding) => findingBox(finding, number)));
    box.append(...notebook.cells.map((cell) => cellBox(cell, at(cell.number), number)));
    const side = make("aside", { class: "side", "aria-label": "the chosen cell, and what cells read" });
    notebookView.replaceChildren(
      make("p", {}, make("a", { href: "#" }, "all notebooks")),
      make("h2", { class: "mono", tabindex: "-1" }, notebook.path),
      make(
        "p",
        {},
        make("span", { class: `tag ${verdict.replaceAll(" ", "-")} ${notebook.status}` }, verdict)
      ),
      ...notebook.reasons.concat(notebook.note ? [notebook.note] : []).map((r) => make("p", {}, ...said(r))),
      strip(notebook, number) || "",
      parting(notebook, number),
      make("div", { class: "columns" }, box, side)
    );
    side.append(make("section", { id: "details", "aria-live": "polite" }), graph(notebook, number));
    return { number, notebook };
  }
  function choose(cell, scroll) {
    chosen = cell;
    for (const other of notebookView.querySelectorAll(".cell.chosen")) other.classList.remove("chosen");
    const box = byId(`cell-${cell}`);
    if (box) {
      box.classList.add("chosen");
      if (scroll) box.scrollIntoView({ block: "start" });
    }
    const found = shown.notebook.cells.find((each) => each.number === cell && each.kind === "code");
    if (found) byId("details").replaceChildren(...details(shown.notebook, found, shown.number));
    for (const arc of notebookView.querySelectorAll(".arc, .edge")) {
      arc.classList.toggle("on", arc.dataset.from === String(cell) || arc.dataset.to === String(cell));
    }
    for (const node of notebookView.querySelectorAll(".node")) {
      node.classList.toggle("on", node.dataset.cell === String(cell));
    }
  }
  function go(number, cell) {
    const hash = cell ? `#${number}/${cell}` : number === null ? "#" : `#${number}`;
    if (location.hash === hash && cell) choose(cell, true);
    else location.hash = hash;
  }
  function route() {
    const found = /^#(\d+)(?:\/(\d+))?$/.exec(location.hash);
    const number = found ? Number(found[1]) : null;
    if (number !== null && (!shown || shown.number !== number)) shown = render(number);
    const isNotebook = number !== null && shown !== null;
    overview.classList.toggle("hidden", isNotebook);
    notebookView.classList.toggle("hidden", !isNotebook);
    if (!isNotebook) {
      shown = null;
      document.title = "nbsafe report";
      return;
    }
    document.title = `${shown.notebook.path} - nbsafe report`;
    const first = shown.notebook.findings.find((f) => f.cell);
    const code = shown.notebook.cells.find((cell) => cell.kind === "code");
    const cell = found[2] ? Number(found[2]) : (first && first.cell) || (code && code.number) || 0;
    choose(cell, Boolean(found[2]));
    if (!found[2]) window.scrollTo(0, 0);
  }
  function move(by, findingsOnly) {
    if (!shown) return;
    const { notebook, number } = shown;
    const stops = findingsOnly
      ? [...new Set(notebook.findings.map((f) => f.cell).filter(Boolean))].sort((a, b) => a - b)
      : notebook.cells.map((cell) => cell.number);
    const next = by > 0 ? stops.find((n) => n > chosen) : stops.filter((n) => n < chosen).pop();
    if (next) go(number, next);
  }
  const themes = ["", "dark", "light"];
  byId("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme || "") + 1) % 3];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    byId("theme").textContent = next ? `theme: ${next}` : "theme: system";
  });
  byId("help").addEventListener("click", () => byId("keys").showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName)) return;
    const does = {
      j: () => move(1, false),
      k: () => move(-1, false),
      n: () => move(1, true),
      p: () => move(-1, true),
      o: () => go(null, 0),
      "?": () => byId("keys").showModal(),
      "/": () => {
        go(null, 0);
        setTimeout(() => byId("search").focus());
        event.preventDefault();
      },
    }[event.key];
    if (does) does();
  });
  window.addEventListener("hashchange", route);
  route();
})();
