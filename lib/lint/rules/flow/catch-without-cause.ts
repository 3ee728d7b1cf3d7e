import { omitUndefined } from '../../../language/omit-undefined.ts';
import { matchesCode, patternProblem } from '../../../language/patterns.ts';
import { closestName } from '../../../language/suggestions.ts';
import type { Node } from '../../../language/yaml/parser.ts';
import { codesOf, ENGINE_CODES } from '../../document/codes.ts';
import { select } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import { removeFrom } from '../../mends/removal.ts';
import type { Mend, Report } from '../../reports/finding.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';
import { PATTERN_PATHS } from './pattern-syntax.ts';

const BRAND = /^\^?(?:service|direktiv)(?:\\?\.|$)/;

const ALL = ENGINE_CODES.map((code) => `service.${code}`);

const matchesAny = (pattern: string, codes: readonly string[]): boolean =>
  codes.some((code) => matchesCode(pattern, code));

/** The code that a pattern without operators of regular expressions probably means, in the pattern's own brand. */
function meant(pattern: string, codes: readonly string[]): string | undefined {
  const plain = pattern.replace(/^\^|\$$/g, '').replaceAll('\\.', '.');
  // The five hundred codes of HTTP are compared only with what looks like one.
  const likely = codes.filter((code) => plain.includes('stat') || !code.startsWith('service.http.status.'));
  const found = closestName(
    plain.replace(/^(?:service|direktiv)\./, ''),
    likely.map((code) => code.slice('service.'.length)),
  );
  return found === undefined ? undefined : `${plain.startsWith('direktiv.') ? 'direktiv' : 'service'}.${found}`;
}

/** Reports a pattern that matches none of the codes that can occur; `codes` undefined: any code can occur. */
function reportPattern(
  workflow: Workflow,
  node: { readonly value: unknown; readonly line: number; readonly column: number },
  codes: readonly string[] | undefined,
): Report | undefined {
  const pattern = node.value;
  if (typeof pattern !== 'string' || pattern === '*' || patternProblem(pattern) !== undefined) return undefined;
  if (codes === undefined && !BRAND.test(pattern)) return undefined;
  if (matchesAny(pattern, codes ?? ALL)) return undefined;
  const to = meant(pattern, codes ?? ALL);
  if (codes === undefined && to === undefined) return undefined;
  const isElsewhere = codes !== undefined && matchesAny(pattern, ALL);
  const mend = to === undefined || isElsewhere ? undefined : replaceName(workflow, node, { from: pattern, to });
  const hint =
    to === undefined || isElsewhere ? `this state raises ${(codes ?? []).join(', ')}` : `did you mean '${to}'?`;
  const message =
    codes === undefined
      ? `no error has a code that matches '${pattern}'`
      : `this state raises no error that matches '${pattern}'`;
  return { at: node, message, hint, ...(mend !== undefined && { mend }) };
}

/** Removes the entry of the catch list of a state. */
function removal(workflow: Workflow, state: Node, pattern: Node): Mend | undefined {
  const [list] = select(state, 'catch');
  const entry =
    list?.node.kind === 'list' ? list.node.items.find((one) => select(one, 'error')[0]?.node === pattern) : undefined;
  return state.kind === 'map' && entry !== undefined ? removeFrom(workflow, state, 'catch', entry) : undefined;
}

/** Patterns of a text that are matched with the codes, of which there are hundreds. */
const MAX_MATCHED = 100;

export const catchWithoutCause: Rule = {
  severity: 'warning',
  about:
    'An entry of `catch` or `retries.codes` matches no error that can occur there: the code is misspelt, or the state cannot raise it. A state that calls a function can raise any code of the function.',
  wrong: `states:
- id: wait
  type: consumeEvent
  timeout: PT10M
  event: {type: approved}
  catch:
  - {error: service.cancel.timeout.soft, transition: late}
- {id: late, type: noop}
`,
  right: `states:
- id: wait
  type: consumeEvent
  timeout: PT10M
  event: {type: approved}
  catch:
  - {error: service.cancels.timeout.soft, transition: late}
- {id: late, type: noop}
`,
  *check(workflow) {
    let left = MAX_MATCHED;
    for (const state of workflow.states) {
      if (state.plan === undefined) continue;
      for (const path of PATTERN_PATHS) {
        for (const { node } of select(state.node, path).slice(0, left)) {
          left -= 1;
          const report = reportPattern(workflow, node, codesOf(state.plan.work));
          if (report === undefined) continue;
          const mend = report.mend ?? removal(workflow, state.node, node);
          yield { ...report, ...omitUndefined({ mend }) };
        }
      }
    }
  },
};
