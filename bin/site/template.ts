import { linkBetween } from './addresses.ts';
import { escapeHtml } from './highlighting.ts';
import { type Group, navigationHtml } from './navigation.ts';
import type { Page } from './pages.ts';

/** The addresses of the files that each page loads. */
export interface Assets {
  readonly main: string;
  readonly theme: string;
  readonly style: string;
  readonly icon: string;
  readonly index: string;
}

/** For hosts that send no headers of their own: nothing runs but the scripts of the site, which ask only its host. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** More headings than these are a list of their own. */
const MOST_CONTENTS = 60;

function contentsHtml({ sections }: Page): string {
  const inner = sections.filter(({ level, anchor }) => (level === 2 || level === 3) && anchor !== '');
  const shown = inner.length > MOST_CONTENTS ? inner.filter(({ level }) => level === 2) : inner;
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ anchor, heading, level }) =>
      `<li><a${level === 3 ? ' class="deep"' : ''} href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

/** A page as HTML. */
export function pageHtml(page: Page, groups: readonly Group[], assets: Assets): string {
  const { target, title, html } = page;
  const to = (address: string): string => linkBetween(target.address, address);
  const root = to('index.html').replace(/index\.html$/, '');
  const whole = target.address === 'index.html' ? 'Weft documentation' : `${title} · Weft`;
  return `<!doctype html>
<html lang="en" data-root="${root}" data-index="${to(assets.index)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(whole)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${to(assets.icon)}" type="image/svg+xml">
<script src="${to(assets.theme)}"></script>
<link rel="stylesheet" href="${to(assets.style)}">
<script type="module" src="${to(assets.main)}"></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<a class="brand" href="${to('index.html')}">Weft docs</a>
<a class="menu" href="#pages">All pages</a>
<form role="search" hidden>
<input type="search" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off">
<div class="results"><ul id="found" aria-label="Pages found" hidden></ul><p id="found-count" role="status" hidden></p></div>
</form>
<button id="theme" type="button" aria-label="Light or dark" title="Light or dark" hidden>◐</button>
</header>
<div class="columns">
<main id="content">
${html}</main>
<nav class="pages" id="pages" aria-label="Pages">
${navigationHtml(groups, target)}
</nav>
${contentsHtml(page)}
</div>
</body>
</html>
`;
}
