import { omitUndefined } from '../../../language/omit-undefined.ts';
import type { Node } from '../../../language/yaml/parser.ts';
import { select } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Mend } from '../../reports/finding.ts';
import { appendInside, type Rule } from '../../reports/rule.ts';

/** The node of a field of a function; undefined without it. */
const fieldOf = (called: Node, name: string): Node | undefined => select(called, name)[0]?.node;

const textOf = (node: Node | undefined): string => (typeof node?.value === 'string' ? node.value : '');

const FIELDS = ['concurrency', 'rate'] as const;

/** The numbers of a limit as text: keys may differ. */
const numbersOf = (called: Node, field: string): string =>
  JSON.stringify(['limit', 'per'].map((name) => fieldOf(called, `${field}.${name}`)?.value ?? null));

/** The mend that gives a function the limit of an earlier one, if both are written in braces. */
function sameLimit({ source }: Workflow, at: Node, first: Node | undefined): Mend | undefined {
  const written = (node: Node): string | undefined =>
    /^\{[^{}\n]*\}/.exec(source.text.slice(source.offsetOf(node)))?.[0];
  const [old, text] = [written(at), first === undefined ? undefined : written(first)];
  if (old === undefined || text === undefined) return undefined;
  const to = source.at(source.offsetOf(at) + old.length);
  return { title: `replace '${old}' by '${text}'`, edits: [{ from: at, to, text }], isCertain: false };
}

export const limitsOfScope: Rule = {
  severity: 'warning',
  about:
    'Functions of one `scope` have different limits, of which those of the last apply to all; or a function has a `scope` and no limits. Without `scope`, the scope of a function is its `id`.',
  wrong: `functions:
- {id: search, type: http, url: 'https://api.example.com/search', scope: api, concurrency: {limit: 5}}
- {id: order, type: http, url: 'https://api.example.com/orders', scope: api, concurrency: {limit: 2}}
states:
- id: find
  type: action
  action: {function: search}
  transition: buy
- id: buy
  type: action
  action: {function: order}
`,
  right: `functions:
- {id: search, type: http, url: 'https://api.example.com/search', scope: api, concurrency: {limit: 5}}
- {id: order, type: http, url: 'https://api.example.com/orders', scope: api, concurrency: {limit: 5}}
states:
- id: find
  type: action
  action: {function: search}
  transition: buy
- id: buy
  type: action
  action: {function: order}
`,
  *check(workflow) {
    const before = new Map<string, Node>();
    for (const { node: called } of select(workflow.root, 'functions.*')) {
      const named = fieldOf(called, 'scope');
      if (FIELDS.every((field) => fieldOf(called, field) === undefined)) {
        if (named === undefined) continue;
        const mend = appendInside(workflow, called, 'concurrency: {limit: 1}', "add 'concurrency: {limit: 1}'");
        const message = 'scope has no effect: the function has no limits';
        yield { at: named, message, hint: 'add concurrency or rate, or remove scope', ...omitUndefined({ mend }) };
        continue;
      }
      const scope = textOf(named) || textOf(fieldOf(called, 'id'));
      const first = before.get(scope) ?? called;
      for (const field of FIELDS) {
        if (numbersOf(first, field) === numbersOf(called, field)) continue;
        const at = fieldOf(called, field) ?? called;
        const mend = sameLimit(workflow, at, fieldOf(first, field));
        const message = `the functions of the scope '${scope}' have different limits: those of the last apply to all`;
        yield { at, message, hint: 'give them the same limits, or scopes of their own', ...omitUndefined({ mend }) };
      }
      before.set(scope, called);
    }
  },
};
