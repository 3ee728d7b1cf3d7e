import { jsonLanguage } from '@codemirror/lang-json';
import { yamlLanguage } from '@codemirror/lang-yaml';
import type { Parser } from '@lezer/common';
import { classHighlighter, highlightCode } from '@lezer/highlight';

const PARSERS: Readonly<Record<string, Parser>> = { yaml: yamlLanguage.parser, json: jsonLanguage.parser };

/** A text as HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Code as HTML, with a class for each kind of token if the language is known. */
export function highlight(code: string, language: string): string {
  const parser = Object.hasOwn(PARSERS, language) ? PARSERS[language] : undefined;
  if (parser === undefined) return escapeHtml(code);
  const parts: string[] = [];
  const put = (text: string, classes: string) =>
    parts.push(classes === '' ? escapeHtml(text) : `<span class="${classes}">${escapeHtml(text)}</span>`);
  highlightCode(code, parser.parse(code), classHighlighter, put, () => parts.push('\n'));
  return parts.join('');
}

/** A block of code, which can be scrolled by keys. */
export const codeBlock = (code: string, language: string): string =>
  `<pre tabindex="0"><code>${highlight(code.trimEnd(), language)}\n</code></pre>\n`;
