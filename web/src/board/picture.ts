/** The board as a file. The page's policy forbids images from data, so PNGs are painted shape by shape. */

const COPIED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "paint-order",
];
const SHAPES = "rect, circle, path, line, text";
const PIXELS = 1600; // the longer side of a PNG

const theBoard = (): SVGSVGElement | null => document.querySelector("svg.board:not(.mini)");

/** A copy that looks the same without the page's style sheet. */
export function boardAsSvg(): string | null {
  const board = theBoard();
  if (!board) return null;
  const copy = board.cloneNode(true) as SVGSVGElement;
  const originals = board.querySelectorAll<SVGElement>(SHAPES);
  copy.querySelectorAll<SVGElement>(SHAPES).forEach((shape, place) => {
    const look = getComputedStyle(originals[place]!);
    for (const name of COPIED) shape.setAttribute(name, look.getPropertyValue(name));
  });
  for (const target of copy.querySelectorAll('[role="rowgroup"]')) target.remove();
  for (const each of [copy, ...copy.querySelectorAll("g, rect, circle, path, line, text")]) {
    for (const name of each.getAttributeNames()) {
      if (/^(class|style|aria-|data-)/.test(name)) each.removeAttribute(name);
    }
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.removeAttribute("role");
  return new XMLSerializer().serializeToString(copy);
}

export function boardAsPng(): Promise<Blob | null> {
  const board = theBoard();
  const canvas = document.createElement("canvas");
  const paint = canvas.getContext("2d");
  if (!board || !paint) return Promise.resolve(null);
  const { width, height } = board.viewBox.baseVal;
  const scale = PIXELS / Math.max(width, height);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  paint.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.scale(scale, scale);
  for (const shape of board.querySelectorAll<SVGElement>(SHAPES)) {
    if (!shape.closest('[role="rowgroup"]')) draw(paint, shape);
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function draw(paint: CanvasRenderingContext2D, shape: SVGElement): void {
  const look = getComputedStyle(shape);
  const group = shape.parentElement ? Number(getComputedStyle(shape.parentElement).opacity) : 1;
  const opacity = Number(look.opacity) * group;
  if (shape instanceof SVGTextElement) {
    paint.globalAlpha = opacity;
    paint.fillStyle = look.fill;
    paint.font = `${look.fontWeight} ${look.fontSize} ${look.fontFamily}`;
    paint.textAlign = "center";
    paint.textBaseline = "middle";
    const words = [shape.textContent ?? "", number(shape, "x"), number(shape, "y")] as const;
    if (look.stroke !== "none") {
      paint.strokeStyle = look.stroke;
      paint.lineWidth = Number.parseFloat(look.strokeWidth);
      paint.lineJoin = look.strokeLinejoin as CanvasLineJoin;
      paint.strokeText(...words);
    }
    paint.fillText(...words);
    return;
  }
  const path = outline(shape);
  if (look.fill !== "none") {
    paint.globalAlpha = opacity * Number(look.fillOpacity);
    paint.fillStyle = look.fill;
    paint.fill(path);
  }
  if (look.stroke !== "none") {
    paint.globalAlpha = opacity * Number(look.strokeOpacity);
    paint.strokeStyle = look.stroke;
    paint.lineWidth = Number.parseFloat(look.strokeWidth);
    paint.lineCap = look.strokeLinecap as CanvasLineCap;
    paint.lineJoin = look.strokeLinejoin as CanvasLineJoin;
    paint.stroke(path);
  }
}

const number = (shape: SVGElement, name: string): number => Number(shape.getAttribute(name) ?? 0);

function outline(shape: SVGElement): Path2D {
  const at = (name: string): number => number(shape, name);
  const path = new Path2D(shape.tagName === "path" ? (shape.getAttribute("d") ?? "") : undefined);
  if (shape.tagName === "circle") path.arc(at("cx"), at("cy"), at("r"), 0, 2 * Math.PI);
  if (shape.tagName === "rect") path.roundRect(at("x"), at("y"), at("width"), at("height"), at("rx"));
  if (shape.tagName === "line") {
    path.moveTo(at("x1"), at("y1"));
    path.lineTo(at("x2"), at("y2"));
  }
  return path;
}
