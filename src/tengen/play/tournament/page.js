"use strict";
// Shows games of the tournament: #p3 lists those of pairing 3, #p3g7 plays its game 7. The board is drawn from the
// layout alone. Texts are only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const { layout, names, pairs } = data;
const UNIT = 40, SIDE = UNIT / Math.sqrt(3);
const SVG = "http://www.w3.org/2000/svg";
const by = (id) => document.getElementById(id);
let shown = null; // {pair, game, ply, frames}

function make(tag, attributes = {}, text = "") {
  const node = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  return node;
}

/* the board */

function centre(cell) {
  const row = Math.floor(cell / layout.cols), col = cell % layout.cols;
  if (layout.kind !== "hexes") return [(col + 0.5) * UNIT, (row + 0.5) * UNIT];
  return [(col + 0.5 + row / 2) * UNIT, SIDE + row * 1.5 * SIDE];
}

function hexagon(x, y, scale) {
  const half = (UNIT / 2) * scale, side = SIDE * scale;
  const corners = [[0, -side], [half, -side / 2], [half, side / 2], [0, side], [-half, side / 2], [-half, -side / 2]];
  return `M${corners.map(([dx, dy]) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`).join("L")}Z`;
}

function surface(board) {
  const { rows, cols, kind } = layout;
  const width = (kind === "hexes" ? cols + (rows - 1) / 2 : cols) * UNIT;
  const height = kind === "hexes" ? (1.5 * rows + 0.5) * SIDE : rows * UNIT;
  board.setAttribute("viewBox", `-6 -6 ${width + 12} ${height + 12}`);
  if (kind === "hexes") {
    // The first player joins top and bottom, the second left and right: their colours show behind the outer cells.
    for (let cell = 0; cell < rows * cols; cell++) {
      const [x, y] = centre(cell), row = Math.floor(cell / cols), col = cell % cols;
      const edge = (dx, dy, side) =>
        board.append(make("svg:path", { d: hexagon(x + dx, y + dy, 1.06), class: `edge side${side}` }));
      if (col === 0) edge(-4, 0, 2);
      if (col === cols - 1) edge(4, 0, 2);
      if (row === 0) edge(0, -4, 1);
      if (row === rows - 1) edge(0, 4, 1);
    }
    for (let cell = 0; cell < rows * cols; cell++) board.append(make("svg:path", { d: hexagon(...centre(cell), 1), class: "hex" }));
    return;
  }
  board.append(make("svg:rect", { x: -6, y: -6, width: width + 12, height: height + 12, rx: 8, class: "plate" }));
  const inset = kind === "lines" ? UNIT / 2 : 0;
  if (kind === "gravity") return;
  let d = "";
  for (let row = 0; row < rows + (inset ? 0 : 1); row++) d += `M${inset} ${row * UNIT + inset}H${width - inset}`;
  for (let col = 0; col < cols + (inset ? 0 : 1); col++) d += `M${col * UNIT + inset} ${inset}V${height - inset}`;
  board.append(make("svg:path", { d, class: "grid" }));
}

function piece(cell, stone) {
  const [x, y] = centre(cell), side = `piece side${stone}`;
  if (layout.kind === "hexes") return make("svg:path", { d: hexagon(x, y, 0.88), class: side });
  const r = UNIT * { cells: 0.3, gravity: 0.41, lines: 0.46, discs: 0.4 }[layout.kind];
  if (layout.kind !== "cells") return make("svg:circle", { cx: x, cy: y, r, class: side });
  if (stone === 2) return make("svg:circle", { cx: x, cy: y, r, class: `${side} mark` });
  return make("svg:path", { d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`, class: `${side} mark` });
}

function draw() {
  const { game, ply, frames } = shown, stones = frames[ply];
  const pieces = by("pieces");
  pieces.replaceChildren();
  stones.forEach((stone, cell) => {
    if (stone) pieces.append(piece(cell, stone));
    else if (layout.kind === "gravity") pieces.append(piece(cell, 0));
  });
  const last = ply ? game.last[ply - 1] : -1;
  const marked = ply === frames.length - 1 && game.line.length ? game.line : last >= 0 ? [last] : [];
  for (const cell of marked) {
    const [cx, cy] = centre(cell);
    pieces.append(make("svg:circle", { cx, cy, r: UNIT * 0.13, class: `last on${stones[cell]}` }));
  }
  const who = names[game.sides[(ply + 1) % 2]];
  const how = ply <= game.opening ? "random opening" : who;
  by("ply").textContent = ply ? `${ply} of ${frames.length - 1}: ${game.moves[ply - 1]} (${how})` : "the start";
  const slider = by("slider");
  slider.max = frames.length - 1;
  slider.value = ply;
  by("start").disabled = by("back").disabled = ply === 0;
  by("next").disabled = by("end").disabled = ply === frames.length - 1;
}

/* the games */

function framesOf(game) {
  const frames = [data.start];
  for (const changes of game.changes) {
    const stones = frames[frames.length - 1].slice();
    for (const change of changes) stones[Math.floor(change / 3)] = change % 3;
    frames.push(stones);
  }
  return frames;
}

function go(ply) {
  if (!shown) return;
  shown.ply = Math.max(0, Math.min(shown.frames.length - 1, ply));
  draw();
}

function listGames(at) {
  const pair = pairs[at], list = by("list");
  by("pairing").textContent = `${names[pair.first]} – ${names[pair.second]}`;
  by("more").textContent = pair.games.length < pair.played ? `The first ${pair.games.length} of ${pair.played} games; all are in games.sgf and games.jsonl.` : "";
  list.replaceChildren();
  pair.games.forEach((game, place) => {
    const link = make("a", { href: `#p${at}g${place}` });
    link.append(make("span", { class: "sides" }, `${names[game.sides[0]]} – ${names[game.sides[1]]}`));
    link.append(make("span", { class: "result" }, game.result));
    if (game.forfeit) link.append(make("span", { class: game.fault ? "fault" : "resigned" }, game.forfeit));
    const item = make("li");
    item.append(link);
    list.append(item);
  });
}

function show(move) {
  const found = /^#p(\d+)(?:g(\d+))?$/.exec(location.hash);
  const pair = found && pairs[Number(found[1])];
  by("games").hidden = !pair;
  shown = null;
  if (!pair) return;
  listGames(Number(found[1]));
  const place = Number(found[2] ?? 0), game = pair.games[place];
  by("player").hidden = !game;
  if (!game) return;
  for (const link of by("list").querySelectorAll("a"))
    if (link.getAttribute("href") === `#p${found[1]}g${place}`) link.setAttribute("aria-current", "true");
  by("sides").replaceChildren(...[0, 1].map((side) => {
    const row = make("div");
    row.append(make("span", { class: `token side${side + 1}` }), make("span", {}, names[game.sides[side]]));
    return row;
  }));
  by("outcome").textContent = game.forfeit ? `${game.outcome} (${game.forfeit})` : game.outcome;
  shown = { game, frames: framesOf(game), ply: 0 };
  go(shown.frames.length - 1);
  if (move) by(found[2] === undefined ? "games" : "player").scrollIntoView({ block: "nearest" });
}

by("games").classList.add(layout.kind); // for the colours of its pieces
surface(by("board"));
by("board").append(make("svg:g", { id: "pieces" }));
by("start").addEventListener("click", () => go(0));
by("back").addEventListener("click", () => go(shown.ply - 1));
by("next").addEventListener("click", () => go(shown.ply + 1));
by("end").addEventListener("click", () => go(Infinity));
by("slider").addEventListener("input", (event) => go(Number(event.target.value)));
addEventListener("keydown", (event) => {
  if (!shown || event.ctrlKey || event.metaKey || event.altKey || event.target.id === "slider") return;
  const to = { ArrowLeft: shown.ply - 1, ArrowRight: shown.ply + 1, Home: 0, End: Infinity }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(to);
});
addEventListener("hashchange", () => show(true));
show(location.hash !== "");
