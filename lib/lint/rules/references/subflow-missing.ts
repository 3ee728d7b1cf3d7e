import { posix } from 'node:path';
import { closestName } from '../../../language/suggestions.ts';
import { calledPath, subflowsOf } from '../../document/subflows.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';

/** A relative path to a place outside of the folder. */
function isOutside(caller: string, target: string): boolean {
  const depth = caller.split('/').length - 1;
  return (
    !target.startsWith('/') &&
    posix
      .normalize(target)
      .split('/')
      .filter((one) => one === '..').length > depth
  );
}

const firstOf = (path: string): string => (path.includes('/') ? `${path.split('/')[0]}/` : path);

export const subflowMissing: Rule = {
  severity: 'warning',
  about:
    'A subflow does not exist in the folder that is validated. A path without a leading slash is relative to the folder of the calling workflow. The run fails with `service.workflow.notfound`, which cannot be caught. The paths in `allowed` without a `*` are checked too.',
  wrong: `functions:
- {id: pay, type: subflow, workflow: payment}
states:
- id: charge
  type: action
  action: {function: pay}
`,
  right: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action: {function: pay}
`,
  *check(workflow, folder) {
    if (folder === undefined) return;
    for (const { node, target } of subflowsOf(workflow)) {
      const path = calledPath(folder.path, target);
      if (folder.workflows.has(path) || isOutside(folder.path, target)) continue;
      const paths = [...folder.workflows.keys()];
      const near = closestName(path, paths) ?? paths.find((one) => one.split('/').at(-1) === path.split('/').at(-1));
      const to = near === undefined ? undefined : `/${near}`;
      const mend = to === undefined ? undefined : replaceName(workflow, node, { from: target, to });
      // The folder may be a part of the namespace only.
      if (near === undefined && target.startsWith('/') && !paths.some((one) => one.startsWith(firstOf(path)))) continue;
      const hint = near === undefined ? 'the folder has no workflow of this name' : `did you mean '/${near}'?`;
      yield { at: node, message: `the subflow '/${path}' does not exist in this folder`, hint, ...(mend && { mend }) };
    }
  },
};
