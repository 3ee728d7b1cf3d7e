import { Script as Compiled } from 'node:vm';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { MAX_SCRIPT } from '../../../language/scripts/scripts.ts';
import { changed } from '../../mends/jq.ts';
import { allScripts, changeScript, type Rule, type ScriptChange } from '../../reports/rule.ts';

/** The first line of the script, after those that make it the body of a function. */
const HEAD = '(function fn(data) {\n';

interface SyntaxProblem {
  readonly message: string;
  /** The offset in the script. */
  readonly offset: number;
}

/** Compiles a script as the engine does, as the body of a function, without running it. */
function problemOf(source: string): SyntaxProblem | undefined {
  try {
    new Compiled(`${HEAD}${source}\n})`, { filename: 'script' });
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return { message: 'the script is nested too deeply', offset: 0 };
    if (!(error instanceof SyntaxError)) throw error;
    const [place = '', , caret = ''] = (error.stack ?? '').split('\n');
    const line = Number(/:(\d+)$/.exec(place)?.[1] ?? 2) - 2;
    const before = source.split('\n').slice(0, line);
    const offset = before.reduce((sum, text) => sum + text.length + 1, 0) + Math.max(0, caret.indexOf('^'));
    return { message: error.message, offset: Math.min(offset, Math.max(0, source.length - 1)) };
  }
}

/** Scripts longer than this are not corrected, so that the time is bounded. */
const MAX_CHARACTERS = 10_000;

/** The correction after which a script compiles; undefined if no usual correction achieves that. */
function correctionOf(source: string, { offset }: SyntaxProblem): ScriptChange | undefined {
  if (source.length > MAX_CHARACTERS) return undefined;
  const [token = ''] = /^\w+|^./.exec(source.slice(offset)) ?? [];
  const end = source.trimEnd().length;
  const at = (from: number, text: string): ScriptChange => ({ from, to: from, text });
  const changes = [
    // A reserved word cannot be a name.
    ...(/^[a-z]+$/.test(token) ? [{ from: offset, to: offset + token.length, text: `${token}_` }] : []),
    ...[']', '}', '"', "'", '`', '; }'].map((text) => at(end, text)),
    { from: offset, to: offset + token.length, text: '' },
    ...[',', ';', ' +', ':'].map((text) => at(offset, text)),
    { from: Math.max(0, offset - 1), to: offset, text: '' },
  ];
  return changes.find((change) => problemOf(changed(source, change)) === undefined);
}

/** Scripts of a text that are corrected by trial, for which each is compiled about ten times. */
const MAX_CORRECTED = 20;

export const jsSyntax: Rule = {
  severity: 'warning',
  about:
    'A JavaScript query cannot be parsed. It is the body of a function of `data`; the state fails with `service.jq.badCommand`.',
  wrong: `states:
- id: total
  type: noop
  transform: |
    js(
      let sum = 0
      for (const item of data.items sum += item.price
      return {sum: sum}
    ))
`,
  right: `states:
- id: total
  type: noop
  transform: |
    js(
      let sum = 0
      for (const item of data.items) sum += item.price
      return {sum: sum}
    )
`,
  *check(workflow) {
    let corrected = 0;
    for (const { script } of allScripts(workflow)) {
      // The compiler rejects one that is too long.
      if (script.kind !== 'js' || script.source.length > MAX_SCRIPT.characters) continue;
      const problem = problemOf(script.source);
      if (problem === undefined) continue;
      const { message, offset } = problem;
      const change = corrected++ < MAX_CORRECTED ? correctionOf(script.source, problem) : undefined;
      const mend = change && changeScript(workflow, script, [change]);
      yield {
        at: script.at(offset),
        end: script.at(offset + 1),
        message: `js: ${message}`,
        ...omitUndefined({ mend }),
      };
    }
  },
};
