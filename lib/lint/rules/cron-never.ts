import { findEntry } from '../../compiler/sections.ts';
import { parseCron } from '../../time/cron/cron.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Mend } from '../reports/finding.ts';
import { type Rule, replaceName } from '../reports/rule.ts';

/** A pattern of six fields has seconds, which the language does not have: without them it has the same days and hours. */
function withoutSeconds(workflow: Workflow, cron: string, at: { line: number; column: number }): Mend | undefined {
  const fields = cron.trim().split(/\s+/);
  const to = fields.slice(1).join(' ').replaceAll('?', '*');
  if (fields.length !== 6 || !/^(0|\*)$/.test(fields[0] ?? '') || 'problem' in parseCron(to)) return undefined;
  return replaceName(workflow, at, { from: cron, to });
}

export const cronNever: Rule = {
  severity: 'warning',
  about:
    'The pattern of a `scheduled` start is no cron pattern, or names a day that does not exist. The workflow can be stored and never starts.',
  wrong: `start:
  type: scheduled
  cron: '0 0 31 2 *'
states:
- {id: report, type: noop}
`,
  right: `start:
  type: scheduled
  cron: '0 0 28 2 *'
states:
- {id: report, type: noop}
`,
  *check(workflow) {
    const { start, startNode } = workflow;
    if (start?.type !== 'scheduled' || startNode === undefined) return;
    const node = startNode.kind === 'map' ? findEntry(startNode, 'cron')?.node : undefined;
    const parsed = parseCron(start.cron);
    if (!('problem' in parsed)) return;
    const mend = node === undefined ? undefined : withoutSeconds(workflow, start.cron, node);
    yield {
      at: node ?? startNode,
      message: 'the schedule never starts a run',
      hint: parsed.problem,
      ...(mend && { mend }),
    };
  },
};
