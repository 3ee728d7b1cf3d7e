import { type Node, scalarText } from '../../../language/yaml/node.ts';
import { select } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Mend } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

const EVERY_CODE = ['*', '.*', '^.*$', '.*$', '^.*', '.'];

/** Moves the line of an entry above that of another, if each entry is one line. */
function movedUp({ source }: Workflow, line: number, above: number): Mend | undefined {
  const [own, other] = [source.lineAt(line), source.lineAt(above)];
  if (![own, other].every((one) => /^\s*- \{.*\}\s*$/.test(one)) || own.indexOf('-') !== other.indexOf('-'))
    return undefined;
  const edits = [
    { from: { line: above, column: 1 }, to: { line: above, column: 1 }, text: `${own}\n` },
    { from: { line, column: 1 }, to: { line: line + 1, column: 1 }, text: '' },
  ];
  return { title: `move it above line ${above}`, edits, isCertain: false };
}

export const catchShadowed: Rule = {
  severity: 'warning',
  about:
    'An entry of `catch` stands below one that matches every code, or below one with the same pattern. The first entry that matches is taken, so this one never is.',
  wrong: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action: {function: pay}
  catch:
  - {error: '*', transition: refuse}
  - {error: pay.busy, transition: later}
- {id: refuse, type: noop}
- {id: later, type: noop}
`,
  right: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action: {function: pay}
  catch:
  - {error: pay.busy, transition: later}
  - {error: '*', transition: refuse}
- {id: refuse, type: noop}
- {id: later, type: noop}
`,
  *check(workflow) {
    for (const { node } of workflow.states) {
      const patterns = select(node, 'catch.*.error').map((one) => one.node);
      const first = new Map<unknown, Node>();
      let everything: Node | undefined;
      for (const pattern of patterns) {
        const earlier = first.get(pattern.value) ?? everything;
        if (earlier === undefined) first.set(pattern.value, pattern);
        if (EVERY_CODE.includes(scalarText(pattern))) everything ??= pattern;
        if (earlier === undefined) continue;
        const message = `this entry is never taken: the one in line ${earlier.line} matches before it`;
        const mend = earlier.value === pattern.value ? undefined : movedUp(workflow, pattern.line, earlier.line);
        yield {
          at: pattern,
          message,
          hint: mend === undefined ? 'remove one of the two' : 'move it up',
          ...(mend && { mend }),
        };
      }
    }
  },
};
