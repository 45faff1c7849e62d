/** The icons, drawn on a 24 × 24 grid with one stroke width. */
const PATHS = {
  play: "M4 4h16v16H4zM4 12h16M12 4v16",
  analyse: "M4 19V5M4 19h16M8 15l4-5 3 3 5-7",
  review: "M5 12l4 4 10-10M5 20h14",
  tree: "M12 21v-6M12 15c0-5-7-3-7-9M12 15c0-5 7-3 7-9M12 15V4",
  training: "M3 17c4 0 4-10 9-10s5 4 9 4M3 21h18",
  plus: "M12 5v14M5 12h14",
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 010 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 000 12h3",
  first: "M18 6l-6 6 6 6M8 6v12",
  previous: "M15 6l-6 6 6 6",
  next: "M9 6l6 6-6 6",
  last: "M6 6l6 6-6 6M16 6v12",
  takeback: "M3 12a9 9 0 109-9 9 9 0 00-7 3.4M3 4v4h4",
  flag: "M5 21V4h12l-2.5 4L17 12H5",
  swap: "M7 4L3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 00-4 10.5c.8.8 1 1.5 1 2.5h6c0-1 .2-1.7 1-2.5A6 6 0 0012 3z",
  share: "M12 15V3M8 7l4-4 4 4M5 12v8h14v-8",
  open: "M12 4v11M8 11l4 4 4-4M5 20h14",
  pause: "M8 5v14M16 5v14",
  resume: "M7 5l12 7-12 7z",
  sun: "M12 4V2M12 22v-2M4 12H2M22 12h-2M6 6L4.6 4.6M19.4 19.4L18 18M6 18l-1.4 1.4M19.4 4.6L18 6M12 8a4 4 0 100 8 4 4 0 000-8z",
  moon: "M20 14.5A8.5 8.5 0 019.5 4a8.5 8.5 0 1010.5 10.5z",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12l5 5 9-10",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  keyboard: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8",
  star: "M12 4l2.4 5 5.6.8-4 3.9.9 5.5-4.9-2.6-4.9 2.6.9-5.5-4-3.9 5.6-.8z",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

/** 天元: the point in the middle of the board. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <path class="logo-lines" d="M4 4h24v24H4zM4 12h24M4 20h24M12 4v24M20 4v24M4 16h24M16 4v24" />
    <circle class="logo-dot" cx="16" cy="16" r="5.2" />
  </svg>
);
