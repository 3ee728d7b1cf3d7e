import type { Found } from './search.ts';

/** How many pages a search shows. */
const MOST = 8;

const { root = '', index = '' } = document.documentElement.dataset;
const form = document.querySelector<HTMLFormElement>('form[role="search"]');
const input = form?.querySelector('input');
const list = document.querySelector<HTMLUListElement>('#found');
const said = document.querySelector<HTMLElement>('#found-count');

let opened: Promise<(words: string) => Found[]> | undefined;

/** Loads the search and its index at the first use. */
async function load(): Promise<(words: string) => Found[]> {
  const [{ openIndex }, reply] = await Promise.all([import('./search.ts'), fetch(index)]);
  if (!reply.ok) throw new Error(`the index replied ${reply.status}`);
  return openIndex(await reply.text());
}

function open(): Promise<(words: string) => Found[]> {
  opened ??= load().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

function itemOf({ page, title, heading, anchor, excerpt }: Found): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = `${root}${page}${anchor === '' ? '' : `#${anchor}`}`;
  const strong = document.createElement('strong');
  strong.textContent = heading === title ? title : `${title}: ${heading}`;
  const text = document.createElement('span');
  text.textContent = excerpt;
  link.append(strong, text);
  item.append(link);
  return item;
}

async function show(): Promise<void> {
  if (input == null || list === null || said === null) return;
  const words = input.value.trim();
  let found: Found[] = [];
  let count = '';
  try {
    found = words === '' ? [] : (await open())(words).slice(0, MOST);
    count = words === '' ? '' : `${found.length === 0 ? 'No' : found.length} pages found`;
  } catch {
    count = 'The search cannot be loaded: check the connection and type again';
  }
  // The words may have changed while the index was loaded.
  if (input.value.trim() !== words) return;
  said.textContent = count;
  list.replaceChildren(...found.map(itemOf));
  list.hidden = found.length === 0;
  said.hidden = words === '';
}

function close(): void {
  if (list !== null) list.hidden = true;
  if (said !== null) said.hidden = true;
}

/** The arrows go through the results; Escape closes them. */
function move(event: KeyboardEvent): void {
  const links = [...(list?.querySelectorAll('a') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === 'Escape') close();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || links.length === 0) return;
  event.preventDefault();
  const next = at + step;
  if (next < 0) input?.focus();
  else links[Math.min(next, links.length - 1)]?.focus();
}

function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset['theme'] === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : dataset['theme'] === 'dark';
  dataset['theme'] = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('weft.theme', dataset['theme']);
  } catch {
    // A browser without storage keeps it for this page.
  }
}

if (form !== null && input != null) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list?.querySelector('a')?.click();
  });
  form.addEventListener('keydown', move);
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  input.addEventListener('focus', () => void open().catch(() => undefined));
  input.addEventListener('input', () => void show());
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
}

const theme = document.querySelector<HTMLButtonElement>('#theme');
if (theme !== null) {
  theme.hidden = false;
  theme.addEventListener('click', toggleTheme);
}
