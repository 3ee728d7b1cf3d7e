import { select } from '../../lint/document/queries.ts';
import type { Workflow } from '../../lint/document/workflow.ts';

/** The literal keys of variables that workflows read and store, each once. */
export function variableKeys(workflows: readonly Workflow[]): readonly string[] {
  const keys = workflows.flatMap(({ states }) =>
    states
      .filter(({ plan }) => plan?.work.do === 'read' || plan?.work.do === 'write')
      .flatMap(({ node }) => select(node, 'variables.*.key').map((one) => one.node.value)),
  );
  const isLiteral = (key: unknown): key is string => typeof key === 'string' && key !== '' && !/j[qs]\(/.test(key);
  return [...new Set(keys.filter(isLiteral))];
}
