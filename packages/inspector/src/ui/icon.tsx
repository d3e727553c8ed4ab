/** Paths on a grid of 24, drawn by hand: a package of icons would be larger than the rest of the page. */
const paths = {
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4",
  chevron: "M9 6l6 6-6 6",
  down: "M6 9l6 6 6-6",
  back: "M15 6l-6 6 6 6",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  clip: "M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7L9.5 17a1.7 1.7 0 0 1-2.4-2.4L14.5 7",
  terminal: "M5 7l5 5-5 5M12 17h7",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  folder: "M3 6h6l2 2h10v11H3z",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  wrench: "M14 6a4 4 0 0 1 5-1l-3 3 1 1 3-3a4 4 0 0 1-5 5l-7 8-3-3 8-7a4 4 0 0 1 1-3z",
  brain:
    "M9 4a3 3 0 0 0-3 3 3 3 0 0 0-2 5 3 3 0 0 0 2 5 3 3 0 0 0 6 1V6a3 3 0 0 0-3-2zM15 4a3 3 0 0 1 3 3 3 3 0 0 1 2 5 3 3 0 0 1-2 5 3 3 0 0 1-6 1",
  check: "M5 13l4 4L19 7",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  hand: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8v5M12 16v.5",
  dots: "M6 12h.01M12 12h.01M18 12h.01",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  fork: "M7 4v5a3 3 0 0 0 3 3h4a3 3 0 0 1 3 3v5M7 9v11M5 4h4",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
  panel: "M4 5h16v14H4zM15 5v14",
  list: "M4 6h16M4 12h16M4 18h10",
  chat: "M4 5h16v11H9l-5 4z",
  play: "M8 5l11 7-11 7z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  pulse: "M3 12h4l3-8 4 16 3-8h4",
  swap: "M4 8h14l-3-3M20 16H6l3 3",
  cpu: "M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4",
  upload: "M12 16V5M7 10l5-5 5 5M5 19h14",
  download: "M12 5v11M7 11l5 5 5-5M5 19h14",
  agents: "M12 4v3M6 8h12v9H6zM9 12v1M15 12v1M4 11v3M20 11v3M9 20h6",
  plan: "M4 6l1.5 1.5L8 5M4 12l1.5 1.5L8 11M4 18l1.5 1.5L8 17M11 6h9M11 12h9M11 18h9",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
} as const

export type IconName = keyof typeof paths

/** Decoration: whatever it stands for is said beside it, or by the label of its button. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
