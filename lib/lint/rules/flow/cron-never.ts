import { findEntry } from '../../../compiler/sections.ts';
import type { Node } from '../../../language/yaml/parser.ts';
import { parseCron } from '../../../time/cron/cron.ts';
import type { Workflow } from '../../document/workflow.ts';
import { replaceScalar } from '../../mends/scalars.ts';
import type { Mend } from '../../reports/finding.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';

/**
 * A pattern of six fields has seconds, which the language lacks: without them the pattern has the same days and hours.
 */
function withoutSeconds(workflow: Workflow, cron: string, at: { line: number; column: number }): Mend | undefined {
  const fields = cron.trim().split(/\s+/);
  const to = fields.slice(1).join(' ').replaceAll('?', '*');
  if (fields.length !== 6 || !/^(0|\*)$/.test(fields[0] ?? '') || 'problem' in parseCron(to)) return undefined;
  return replaceName(workflow, at, { from: cron, to });
}

/** Schedules in words. */
const WORDS: readonly (readonly [words: RegExp, cron: (count: string) => string])[] = [
  [/^(?:every day|daily|each day)$/, () => '0 0 * * *'],
  [/^(?:every hour|hourly|each hour)$/, () => '0 * * * *'],
  [/^(?:every minute|minutely|each minute)$/, () => '* * * * *'],
  [/^(?:every week|weekly)$/, () => '0 0 * * 0'],
  [/^(?:every month|monthly)$/, () => '0 0 1 * *'],
  [/^every (\d+) ?(?:m|min|minutes?)$/, (count) => `*/${count} * * * *`],
  [/^every (\d+) ?(?:h|hours?)$/, (count) => `0 */${count} * * *`],
];

/** The patterns that are probably meant: words as a pattern, or the last day that each of the months has. */
function* meant(cron: string): Generator<string> {
  const text = cron.trim().toLowerCase();
  for (const [words, to] of WORDS) {
    const found = words.exec(text);
    if (found !== null) yield to(found[1] ?? '');
  }
  const [minute, hour, , month, weekday, ...rest] = text.split(/\s+/);
  if (weekday === undefined || rest.length > 0) return;
  for (const day of [30, 28]) yield [minute, hour, day, month, weekday].join(' ');
}

/** The mend that replaces the pattern by one that starts runs. */
function mendOf(workflow: Workflow, cron: string, node: Node): Mend | undefined {
  const to = [...meant(cron)].find((one) => !('problem' in parseCron(one)));
  return withoutSeconds(workflow, cron, node) ?? (to === undefined ? undefined : replaceScalar(workflow, node, to));
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
    const mend = node === undefined ? undefined : mendOf(workflow, start.cron, node);
    yield {
      at: node ?? startNode,
      message: 'the schedule never starts a run',
      hint: parsed.problem,
      ...(mend && { mend }),
    };
  },
};
