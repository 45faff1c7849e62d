/** Numbers as people read them, in both languages alike. */

/** Never −0. */
export const whole = (n: number): string => (Math.round(n) || 0).toLocaleString("en");

/** Few characters: 950, 9.5k, 1.2M. */
export function short(n: number): string {
  if (n < 1000) return String(Math.round(n));
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)}k`;
  return `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)}M`;
}

export const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;

/** With its sign, and a true minus. */
export function signed(n: number, digits = 2): string {
  const size = Math.abs(n).toFixed(digits);
  return Number(size) === 0 ? size : `${n < 0 ? "−" : "+"}${size}`;
}

/** A bound that may be infinite, which the server writes as null. */
export const bound = (n: number | null, digits = 2): string => (n === null ? "∞" : signed(n, digits));

/** Small and large numbers alike, in about four characters. */
export function compact(n: number): string {
  const size = Math.abs(n);
  if (size >= 10_000) return short(n);
  if (size >= 100) return n.toFixed(0);
  if (size >= 1) return n.toFixed(size >= 10 ? 1 : 2);
  return size === 0 ? "0" : size >= 0.001 ? n.toFixed(3) : n.toExponential(1);
}

/** A time span in the unit that suits it. */
export function duration(minutes: number): [amount: string, unit: "s" | "min" | "h"] {
  if (minutes < 1) return [String(Math.round(minutes * 60)), "s"];
  if (minutes < 100) return [minutes < 10 ? minutes.toFixed(1) : String(Math.round(minutes)), "min"];
  return [(minutes / 60).toFixed(1), "h"];
}
