/** Outlines of 16 by 16, drawn with one stroke. */
const PATHS = {
  overview: 'M2.5 2.5h4.5v6h-4.5zM9 2.5h4.5v3.5H9zM9 8h4.5v5.5H9zM2.5 10.5h4.5v3h-4.5z',
  tree: 'M2 4.5v8h12v-6.5H8l-1.5-2H2z',
  folder: 'M2 4.5v8h12v-6.5H8l-1.5-2H2z',
  workflow: 'M2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4zM6.5 4.5h3a2 2 0 0 1 2 2v3',
  runs: 'M8 2a6 6 0 1 0 6 6M8 2a6 6 0 0 1 6 6M6.5 5.5v5l4-2.5z',
  queue: 'M2.5 3.5h11M2.5 8h7.5M2.5 12.5h4',
  events: 'M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z',
  approvals: 'M2.5 8.5l3 3 5.5-6M9 11.5l.5.5 4.5-6',
  audit: 'M3 2.5h7l3 3v8H3zM5.5 6.5h3M5.5 9l1.5 1.5 3-3',
  workers:
    'M8 2.5v2M8 11.5v2M2.5 8h2M11.5 8h2M4.1 4.1l1.4 1.4M10.5 10.5l1.4 1.4M4.1 11.9l1.4-1.4M10.5 5.5l1.4-1.4M8 5.5a2.5 2.5 0 1 0 .01 0',
  webhooks:
    'M5.5 4.5a2.5 2.5 0 1 1 4.3 1.7L12 10M6.6 6.4L4.5 10.2M4.5 10.2a2 2 0 1 0 1.6 2.3h5.6M12 10a2 2 0 1 1-1 3.8',
  metrics: 'M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5v-9',
  log: 'M3 3.5h10M3 6.5h7M3 9.5h10M3 12.5h5',
  variables: 'M5.5 2.5c-2 0-1 5-3 5.5 2 .5 1 5.5 3 5.5M10.5 2.5c2 0 1 5 3 5.5-2 .5-1 5.5-3 5.5',
  secrets: 'M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2M8 9.5v1.5',
  registries: 'M2.5 5L8 2l5.5 3v6L8 14l-5.5-3zM2.5 5L8 8l5.5-3M8 8v6',
  services: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  settings: 'M2.5 4.5h6M12 4.5h1.5M2.5 11.5h1.5M7.5 11.5h6M10.2 2.9v3.2M5.8 9.9v3.2',
  keys: 'M6.8 9.2a3 3 0 1 1 0-.01M7.3 7.8L13 2.5M11 4.4l2 2',
  server: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h2',
  playground: 'M5 3L2 8l3 5M11 3l3 5-3 5',
  docs: 'M8 4.5c-1.5-1.3-3.5-1.5-5.5-1.5v9c2 0 4 .2 5.5 1.5 1.5-1.3 3.5-1.5 5.5-1.5v-9c-2 0-4 .2-5.5 1.5zM8 4.5v9',
  out: 'M9.5 2.5h4v11h-4M2.5 8h7M6.5 5l3 3-3 3',
  sun: 'M8 5a3 3 0 1 0 .01 0M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  search: 'M7 2.5a4.5 4.5 0 1 0 .01 0M10.3 10.3l3.2 3.2',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  up: 'M4 10l4-4 4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  copy: 'M5.5 5.5h8v8h-8zM5.5 10.5h-3v-8h8v3',
  play: 'M4.5 2.8v10.4l8.5-5.2z',
  stop: 'M4 4h8v8H4z',
  retry: 'M13.5 8a5.5 5.5 0 1 1-1.8-4.1M13.5 2v3h-3',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.8 7v4M9.2 7v4',
  edit: 'M3 13l.6-3L10.5 3l2.5 2.5L6 12.4z',
  upload: 'M8 10.5v-8M5 5.5l3-3 3 3M2.5 10.5v3h11v-3',
  download: 'M8 2.5v8M5 7.5l3 3 3-3M2.5 10.5v3h11v-3',
  send: 'M2.5 3l11 5-11 5 2-5zM4.5 8h9',
  clock: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.2l2.2 1.3',
  cross: 'M8 2.5a5.5 5.5 0 1 0 .01 0M6 6l4 4M10 6l-4 4',
  warning: 'M8 2.5l6 11H2zM8 6.5v3M8 11.5h.01',
  info: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 7.5v3M8 5.2h.01',
  filter: 'M2.5 3.5h11L9.5 8.5v4l-3 1v-5z',
  link: 'M6.5 9.5l3-3M7 4.5l1-1a3 3 0 0 1 4.3 4.3l-1 1M9 11.5l-1 1A3 3 0 0 1 3.7 8.2l1-1',
  branch: 'M4.5 2v8M4.5 10a2 2 0 1 0 .01 0M11.5 2.5a2 2 0 1 0 .01 0M11.5 6.5c0 3-3 3.5-5 5',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.5 5.5h.01',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2v3h3M8 5v3.2l2.2 1.3',
  split: 'M2 8h4M6 8c3 0 3-4.5 8-4.5M6 8c3 0 3 4.5 8 4.5',
  fit: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3',
  minus: 'M3 8h10',
  sidebar: 'M2.5 3h11v10h-11zM6 3v10',
  repeat: 'M3 7V5.5a2 2 0 0 1 2-2h8M11 1.5l2 2-2 2M13 9v1.5a2 2 0 0 1-2 2H3M5 14.5l-2-2 2-2',
  wrap: 'M2.5 4h11M2.5 8h8.5a2.2 2.2 0 0 1 0 4.5H8M9.8 10.7L8 12.5l1.8 1.8M2.5 12.5h3',
  wait: 'M4 2.5h8M4 13.5h8M5 2.5c0 3 2 4 3 5.5 1-1.5 3-2.5 3-5.5M5 13.5c0-3 2-4 3-5.5 1 1.5 3 2.5 3 5.5',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon in the colour of the text beside it, hidden from screen readers. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
