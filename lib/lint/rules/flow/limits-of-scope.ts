import type { Node } from '../../../language/yaml/parser.ts';
import { select } from '../../document/queries.ts';
import type { Rule } from '../../reports/rule.ts';

/** The node of a field of a function; undefined without it. */
const fieldOf = (called: Node, name: string): Node | undefined => select(called, name)[0]?.node;

const textOf = (node: Node | undefined): string => (typeof node?.value === 'string' ? node.value : '');

/** The numbers of the limits of a function as text: keys may differ. */
const limitsOf = (called: Node): string =>
  JSON.stringify(['concurrency.limit', 'rate.limit', 'rate.per'].map((path) => fieldOf(called, path)?.value ?? null));

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
  *check({ root }) {
    const before = new Map<string, string>();
    for (const { node: called } of select(root, 'functions.*')) {
      const named = fieldOf(called, 'scope');
      const [first] = [fieldOf(called, 'concurrency'), fieldOf(called, 'rate')].filter((node) => node !== undefined);
      if (first === undefined) {
        const message = 'scope has no effect: the function has no limits';
        if (named !== undefined) yield { at: named, message, hint: 'add concurrency or rate, or remove scope' };
        continue;
      }
      const scope = textOf(named) || textOf(fieldOf(called, 'id'));
      const limits = limitsOf(called);
      if ((before.get(scope) ?? limits) !== limits) {
        const message = `the functions of the scope '${scope}' have different limits: those of the last apply to all`;
        yield { at: first, message, hint: 'give them the same limits, or scopes of their own' };
      }
      before.set(scope, limits);
    }
  },
};
