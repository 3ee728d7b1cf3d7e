import { closestName } from '../../../language/suggestions.ts';
import { scalarText } from '../../../language/yaml/node.ts';
import { select } from '../../document/queries.ts';
import { once, type Workflow } from '../../document/workflow.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';

/** A literal key of a variable with its scope. */
function keysIn({ states }: Workflow, kind: 'read' | 'write') {
  const found = states.filter(({ plan }) => plan?.work.do === kind);
  return found.flatMap(({ node }) =>
    select(node, 'variables.*').map(({ node: variable }) => ({
      key: select(variable, 'key')[0]?.node,
      scope: scalarText(select(variable, 'scope')[0]?.node),
    })),
  );
}

const writtenKeys = once((workflows) => workflows.flatMap((one) => keysIn(one, 'write')));

const isLiteral = (text: unknown): text is string => typeof text === 'string' && !/j[qs]\(/.test(text);

export const variableNeverWritten: Rule = {
  severity: 'warning',
  about:
    'A `getter` reads a variable that no `setter` of the workflows writes, and a setter writes one with almost the same name in the same scope; or the variable belongs to the instance, and nothing can have written it before. The value is null.',
  wrong: `states:
- id: save
  type: setter
  variables:
  - {key: total, scope: workflow, value: jq(.sum)}
  transition: load
- id: load
  type: getter
  variables:
  - {key: totl, scope: workflow}
`,
  right: `states:
- id: save
  type: setter
  variables:
  - {key: total, scope: workflow, value: jq(.sum)}
  transition: load
- id: load
  type: getter
  variables:
  - {key: total, scope: workflow}
`,
  *check(workflow, folder) {
    const written = writtenKeys(workflow, folder);
    // A key that is computed may be any.
    if (written.some(({ key }) => !isLiteral(key?.value))) return;
    const keysOf = Map.groupBy(written, (one) => one.scope);
    const known = new Map(
      [...keysOf].map(([scope, keys]) => [scope, new Set(keys.map(({ key }) => scalarText(key)))] as const),
    );
    const isAlone = workflow.functions.every(({ plan }) => plan?.type === 'subflow');
    for (const { key, scope } of keysIn(workflow, 'read')) {
      if (key === undefined || !isLiteral(key.value) || scope === 'system' || scope === 'file') continue;
      const same = known.get(scope) ?? new Set<string>();
      if (same.has(key.value)) continue;
      const near = closestName(key.value, same);
      const mend = near === undefined ? undefined : replaceName(workflow, key, { from: key.value, to: near });
      const message = `no setter writes the variable '${key.value}' of the scope ${scope}`;
      if (near !== undefined) yield { at: key, message, hint: `did you mean '${near}'?`, ...(mend && { mend }) };
      else if (scope === 'instance' && isAlone)
        yield { at: key, message, hint: 'write it with a setter before, or choose another scope', severity: 'hint' };
    }
  },
};
