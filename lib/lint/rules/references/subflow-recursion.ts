import { certainCalls, subflowsOf } from '../../document/subflows.ts';
import type { Folder, Workflow } from '../../document/workflow.ts';
import type { Rule } from '../../reports/rule.ts';

/** The way from a workflow back to itself by calls that every run makes; undefined if there is none. */
function circleOf(workflow: Workflow, folder: Folder): readonly string[] | undefined {
  const ways: (readonly string[])[] = certainCalls(workflow, folder.path).map((path) => [path]);
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way.at(-1) ?? '';
    if (last === folder.path) return way;
    const next = folder.workflows.get(last);
    if (seen.has(last) || next === undefined) continue;
    seen.add(last);
    for (const path of certainCalls(next, last)) ways.push([...way, path]);
  }
  return undefined;
}

export const subflowRecursion: Rule = {
  severity: 'warning',
  about:
    'Every run of the workflow calls itself, directly or through other workflows of the folder, and no condition ends it. Runs may be nested 25 deep; then the call fails.',
  wrong: `functions:
- {id: again, type: subflow, workflow: main}
states:
- id: call
  type: action
  action: {function: again}
`,
  right: `functions:
- {id: again, type: subflow, workflow: main}
states:
- id: done
  type: switch
  conditions:
  - condition: jq(.depth > 3)
  defaultTransition: call
- id: call
  type: action
  action: {function: again, input: {depth: jq((.depth // 0) + 1)}}
`,
  *check(workflow, folder) {
    if (folder === undefined) return;
    const circle = circleOf(workflow, folder);
    if (circle === undefined) return;
    const at = subflowsOf(workflow)[0]?.node ?? { line: 1, column: 1 };
    const way = [folder.path, ...circle].map((path) => `/${path}`).join(' → ');
    yield { at, message: `every run calls itself: ${way}`, hint: 'add a switch that ends the recursion' };
  },
};
