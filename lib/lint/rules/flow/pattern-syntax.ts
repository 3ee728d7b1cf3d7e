import { omitUndefined } from '../../../language/omit-undefined.ts';
import { patternProblem } from '../../../language/patterns.ts';
import { select } from '../../document/queries.ts';
import { replaceScalar } from '../../mends/scalars.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';

/** Where a state has patterns of error codes. */
export const PATTERN_PATHS = ['catch.*.error', 'action.retries.codes.*', 'actions.*.retries.codes.*'];

/** Where a workflow has those of every state. */
const OF_WORKFLOW = ['catch.*.error', 'retries.codes.*'];

export const patternSyntax: Rule = {
  severity: 'warning',
  about:
    'A pattern of error codes in `catch` or `retries.codes` is no regular expression (RE2). The engine skips it, so it matches no code. The single pattern `*` is allowed and matches every code.',
  wrong: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action: {function: pay}
  catch:
  - {error: '*.timeout', transition: refuse}
- {id: refuse, type: noop}
`,
  right: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action: {function: pay}
  catch:
  - {error: '.*\\.timeout', transition: refuse}
- {id: refuse, type: noop}
`,
  *check(workflow) {
    const ofWorkflow = OF_WORKFLOW.flatMap((path) => select(workflow.root, path));
    const ofStates = workflow.states.flatMap((state) => PATTERN_PATHS.flatMap((path) => select(state.node, path)));
    for (const { node } of [...ofWorkflow, ...ofStates]) {
      if (typeof node.value !== 'string') continue;
      const pattern = node.value;
      const problem = patternProblem(pattern);
      if (problem === undefined) continue;
      const isGlob = /^\*|[^.)\]]\*/.test(pattern);
      const to = pattern.replaceAll(/(?<![.\])])\*/g, '.*');
      const literal = pattern.replaceAll(/[()[\]{}+?*|\\^$]/g, '\\$&');
      const mend =
        isGlob && patternProblem(to) === undefined
          ? replaceName(workflow, node, { from: pattern, to, isCertain: true })
          : replaceScalar(workflow, node, literal, 'match these characters as they are');
      const hint = isGlob ? "write '.*' for any characters" : `regular expression: ${problem}`;
      yield {
        at: node,
        message: `the pattern '${pattern}' matches no code: it is no regular expression`,
        hint,
        ...omitUndefined({ mend }),
      };
    }
  },
};
