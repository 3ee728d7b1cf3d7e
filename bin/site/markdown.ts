import { posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { linkBetween, type Target, targetOf } from './addresses.ts';
import { codeBlock } from './highlighting.ts';
import { sequenceList } from './sequences.ts';

/** A heading with the text below it, up to the next heading. */
export interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

/** A text in Markdown as a page. */
export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  /** What its links lead to in the repository. */
  readonly targets: readonly Target[];
}

const markdown = new MarkdownIt({ linkify: false, typographer: false });
const { rules } = markdown.renderer;
rules['fence'] = (tokens, at) => {
  const { content = '', info = '' } = tokens[at] ?? {};
  return info.trim() === 'mermaid' ? sequenceList(content) : codeBlock(content, info.trim());
};
rules['code_block'] = (tokens, at) => codeBlock(tokens[at]?.content ?? '', '');
rules['table_open'] = () => '<div class="table" role="group" aria-label="table" tabindex="0"><table>\n';
rules['table_close'] = () => '</table></div>\n';

/** Marks for programs, each on a line of its own. */
const COMMENT = /^<!--.*?-->$/gms;

/** The words of an inline token, without marks. */
const wordsOf = (token: Token | undefined): string =>
  (token?.children ?? []).map(({ type, content }) => (/break$/.test(type) ? ' ' : content)).join('');

/** The anchor of a heading, as GitHub makes it; a second one of the same text has a number. */
function anchorOf(heading: string, taken: Map<string, number>): string {
  const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  const anchor = plain.replaceAll(' ', '-');
  const count = taken.get(anchor) ?? 0;
  taken.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Gives each heading its anchor, and returns the sections. */
function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: Section[] = [];
  const taken = new Map<string, number>();
  const texts: string[][] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = wordsOf(tokens[at + 1]);
      const anchor = anchorOf(heading, taken);
      token.attrSet('id', anchor);
      const words: string[] = [];
      texts.push(words);
      sections.push({ anchor, heading, level: Number(token.tag.slice(1)), text: '' });
    } else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') texts.at(-1)?.push(wordsOf(token));
    else if (token.type === 'fence' || token.type === 'code_block') texts.at(-1)?.push(token.content);
  }
  return sections.map((section, at) => ({ ...section, text: (texts[at] ?? []).join(' ') }));
}

/** Rewrites the links and pictures of a page to addresses of the site, and returns what they lead to. */
function relink(tokens: readonly Token[], { path, address }: Target): Target[] {
  const inner = tokens.flatMap(({ children }) => children ?? []);
  return inner.flatMap((token) => {
    const name = { link_open: 'href', image: 'src' }[token.type] ?? '';
    const link = String(token.attrGet(name) ?? '');
    if (link === '' || /^([a-z]+:|#)/.test(link)) return [];
    const [place = '', anchor] = link.split('#');
    const target = targetOf(posix.join(posix.dirname(path), decodeURI(place)));
    const inside = anchor ?? target.anchor;
    token.attrSet(name, `${linkBetween(address, target.address)}${inside === '' ? '' : `#${inside}`}`);
    if (token.type === 'image') token.attrSet('loading', 'lazy');
    return [target];
  });
}

/** A cell without a text is no heading of its column. */
function plainEmptyHeadings(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'th_open' || tokens[at + 1]?.content !== '') continue;
    token.tag = 'td';
    const close = tokens[at + 2];
    if (close !== undefined) close.tag = 'td';
  }
}

/** Makes the page of a text. Throws Error for a link to a file that does not exist, naming the page. */
export function render(text: string, page: Target): Rendered {
  try {
    const tokens = markdown.parse(text.replaceAll(COMMENT, ''), {});
    const targets = relink(tokens, page);
    plainEmptyHeadings(tokens);
    const sections = sectionsOf(tokens);
    const html = markdown.renderer.render(tokens, markdown.options, {});
    return { title: sections[0]?.heading ?? page.path, html, sections, targets };
  } catch (error) {
    throw new Error(`${page.path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
