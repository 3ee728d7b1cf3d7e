import { findEntry } from '../../compiler/sections.ts';
import { DAY_MS } from '../../time/units.ts';
import { select } from '../document/queries.ts';
import { lengthOf } from '../document/spans.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Mend } from '../reports/finding.ts';
import { rangeOf } from '../reports/rule.ts';

/** The time after which a run is interrupted whose workflow does not set it. */
export const DEFAULT_INTERRUPT = 'PT15M';

/** Twice the length of a duration, so that the rest of the run has time, too. */
export function longer(duration: string): string {
  const days = Math.ceil((2 * (lengthOf(duration) ?? 0)) / DAY_MS);
  return days > 1 ? `P${days}D` : duration.replace(/\d+/g, (count) => String(2 * Number(count)));
}

/** Adds timeouts that are longer than a duration to a workflow that has none, or raises the interrupt. */
export function withTimeouts({ source, timeouts, root }: Workflow, duration: string): Mend | undefined {
  const title = `let a run take ${longer(duration)}`;
  if (timeouts.interrupt !== undefined) {
    const [node] = select(root, 'timeouts.interrupt');
    const range = node === undefined ? undefined : rangeOf({ source }, node.node, timeouts.interrupt);
    return range === undefined || timeouts.kill !== undefined
      ? undefined
      : { title, edits: [{ ...range, text: longer(duration) }], isCertain: false };
  }
  const states = root.kind === 'map' ? findEntry(root, 'states') : undefined;
  if (states === undefined || states.column !== 1 || select(root, 'timeouts').length > 0) return undefined;
  const at = { line: states.line, column: 1 };
  return {
    title,
    edits: [{ from: at, to: at, text: `timeouts: {interrupt: ${longer(duration)}}\n` }],
    isCertain: false,
  };
}
