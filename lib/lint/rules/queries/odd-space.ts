import type { Rule } from '../../reports/rule.ts';

/**
 * Blanks of word processors, which look like a space and which YAML and jq do not accept as one; invisible characters.
 */
const ODD = '[\u00a0\u2007\u202f\u2000-\u200b\u2060\ufeff]';

/** What decides whether such a blank counts: the quotes before it, and the script that it is in. */
const TOKENS = new RegExp(`["')]|\\bj[qs]\\(|${ODD}`, 'g');

/** The offsets of the blanks in a line without its comment that are not in a quoted text. */
function* oddBlanks(code: string): Generator<RegExpExecArray> {
  const quotes = { '"': false, "'": false };
  let isCode = false;
  for (const found of code.matchAll(TOKENS)) {
    const [token] = found;
    if (token === '"' || token === "'") quotes[token] = !quotes[token];
    else if (token === ')' || token.length > 1) isCode = token !== ')';
    else if (isCode || !(quotes['"'] || quotes["'"])) yield found;
  }
}

export const oddSpace: Rule = {
  severity: 'warning',
  about:
    'The text has a no-break space or another blank that only looks like a space, outside comments and quoted texts. YAML takes it as a part of the name or value around it.',
  wrong: `states:
- id: first
  type:\u00a0noop
`,
  right: `states:
- id: first
  type: noop
`,
  *check({ source }) {
    for (const [index, line] of source.text.split(/\r\n|\r|\n/).entries()) {
      const code = line.replace(/(^|\s)#.*$/, '');
      for (const found of oddBlanks(code)) {
        if (index === 0 && found.index === 0 && found[0] === '\ufeff') continue;
        const at = { line: index + 1, column: found.index + 1 };
        const end = { line: index + 1, column: found.index + 2 };
        const isSpace = !/[\u200b\u2060\ufeff]/.test(found[0]);
        const mend = {
          title: isSpace ? 'replace it by a space' : 'remove it',
          edits: [{ from: at, to: end, text: isSpace ? ' ' : '' }],
          isCertain: true,
        };
        const code16 = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
        yield { at, end, message: `a blank that is no space (U+${code16})`, hint: mend.title, mend };
      }
    }
  },
};
