import { signal } from '@preact/signals';

/** The present address: the decoded segments of the path behind the base, and the query. */
export interface Place {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The number of navigations, so that a navigation to the same address is noticed. */
  readonly visit: number;
}

const base = new URL(document.baseURI).pathname;

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

function read(visit: number): Place {
  const { pathname, search } = window.location;
  const inside = pathname.startsWith(base) ? pathname.slice(base.length) : '';
  const segments = inside.split('/').filter((segment) => segment !== '');
  return { segments: segments.map(decoded), query: new URLSearchParams(search), visit };
}

export const place = signal<Place>(read(0));

const update = (): void => {
  place.value = read(place.peek().visit + 1);
};

/** The URL of an address inside the console. */
export function hrefOf(segments: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') params.set(name, value);
  const text = params.toString();
  return `${base}${segments.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** Goes to a URL of the console without loading the page again. */
export function go(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  update();
  if (!replace) window.scrollTo(0, 0);
}

/** Changes parameters of the present address; undefined removes one. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, { replace = true } = {}): void {
  const { segments, query } = place.peek();
  go(hrefOf(segments, { ...Object.fromEntries(query), ...changes }), { replace });
}

const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented;

function followLink(event: MouseEvent): void {
  const link = event.composedPath().find((node): node is HTMLAnchorElement => node instanceof HTMLAnchorElement);
  if (link === undefined || !isPlainClick(event) || link.target !== '' || link.hasAttribute('download')) return;
  const url = new URL(link.href);
  if (url.origin !== window.location.origin || !url.pathname.startsWith(base)) return;
  event.preventDefault();
  go(url.pathname + url.search);
}

/** Handles clicks on links and the browser's back and forward buttons. */
export function startNavigation(): void {
  window.addEventListener('popstate', update);
  document.addEventListener('click', followLink);
}
