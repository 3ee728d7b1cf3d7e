import MiniSearch, { type Options } from 'minisearch';

/** A section of a page, as it is indexed. */
export interface Section {
  readonly id: number;
  /** The address of its page in the site. */
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
  /** The words by which an index of the documentation leads to it. */
  readonly task: string;
  /** The beginning of the text. */
  readonly excerpt: string;
  /** How much it counts beside other sections; 1 is usual. */
  readonly weight: number;
}

/** A page that was found, with its best section. */
export interface Found {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  readonly anchor: string;
  readonly excerpt: string;
}

/** Words of questions, which stand in most pages. */
const COMMON = new Set(
  'a an and are at be by can do does for from get how i if in is it make me my of on one or should so that the then there this to use want we what when where which why will with you your'.split(
    ' ',
  ),
);

/** The form of a word in the index: lower case, without the ends that grammar gives it; null for a common word. */
function termOf(word: string): string | null {
  const lower = word.toLowerCase();
  if (COMMON.has(lower)) return null;
  const short = (ends: string): string => ends.replace(/([bdglmnprt])\1$/, '$1');
  if (lower.length < 5) return short(lower.replace(/(?<=[a-z]{3})s$/, ''));
  const single = lower.replace(/(?:ies|ied)$/, 'y').replace(/(?<!s)s$/, '');
  return short(single.replace(/(?:ing|ed)$/, '').replace(/e$/, ''));
}

const namesOf = (text: string): string[] => text.split(/[\n\r\p{Z}\p{P}|=<>$+`^~]+/u).filter((word) => word !== '');

/** The words of a text; a name such as `consumeEvent` is found by each of its parts too. */
const wordsOf = (text: string): string[] =>
  namesOf(text).flatMap((name) => {
    const parts = name.split(/(?<=[a-z0-9])(?=[A-Z])/);
    return parts.length === 1 ? parts : [name, ...parts];
  });

const OPTIONS: Options<Section> = {
  fields: ['title', 'heading', 'task', 'text'],
  storeFields: ['page', 'title', 'heading', 'anchor', 'excerpt', 'weight'],
  tokenize: wordsOf,
  processTerm: termOf,
  searchOptions: {
    tokenize: namesOf,
    boost: { title: 4, heading: 3, task: 4 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    weights: { prefix: 0.4, fuzzy: 0.2 },
    boostDocument: (_id, _term, stored) => (stored?.['weight'] as number | undefined) ?? 1,
  },
};

/** The index of the sections as JSON. */
export function indexOf(sections: readonly Section[]): string {
  const index = new MiniSearch(OPTIONS);
  index.addAll(sections);
  return JSON.stringify(index);
}

/** Reads an index that `indexOf` made, and returns its search: the pages for some words, best first. Throws for other texts. */
export function openIndex(json: string): (words: string) => Found[] {
  const index = MiniSearch.loadJSON(json, OPTIONS);
  return (words) => {
    const best = new Map<string, Found>();
    for (const { page, title, heading, anchor, excerpt } of index.search(words)) {
      if (!best.has(page)) best.set(page, { page, title, heading, anchor, excerpt });
    }
    return [...best.values()];
  };
}
