import { globSync, readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';

/** A code block of a document. */
export interface Block {
  readonly page: string;
  /** The line where it begins. */
  readonly line: number;
  /** The word after the fence; empty without one; `indented` for a block without a fence. */
  readonly language: string;
  /** Without the indentation of the block. */
  readonly text: string;
}

const LANGUAGES: Readonly<Record<string, (info: string) => string>> = {
  fence: (info) => info.trim(),
  code_block: () => 'indented',
};

function blocksIn(page: string): Block[] {
  return new MarkdownIt({ html: true })
    .parse(readFileSync(page, 'utf8'), {})
    .flatMap(({ type, info, map, content }) => {
      const language = LANGUAGES[type]?.(info);
      return language === undefined ? [] : [{ page, line: (map?.[0] ?? 0) + 1, language, text: content }];
    });
}

/** The documents for users and contributors. */
export const PAGES: readonly string[] = [
  ...globSync('*.md'),
  ...globSync('{docs,examples,deploy}/**/*.md'),
  ...globSync('{clients/*,editors/*}/*.md'),
].toSorted();

/** Each code block of the documents. */
export const BLOCKS: readonly Block[] = PAGES.flatMap(blocksIn);
