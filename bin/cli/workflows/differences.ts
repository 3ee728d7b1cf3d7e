import { readFile } from 'node:fs/promises';
import { createTwoFilesPatch } from 'diff';
import { compile } from '../../../lib/compiler/compile.ts';
import { perMillion } from '../../../lib/pricing/prices.ts';
import { priceRuns } from '../../../lib/pricing/runs.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import type { PlanItem } from '../transfer/plan.ts';
import { findNode, isWorkflow, type Remote } from '../transfer/remote.ts';

const CONTEXT = 3;
/** The number of items of each foreach in a price, as `weft cost` assumes it. */
const ITEMS = 10;

/** The source that a plan would make the latest one; undefined if it changes no source. */
async function newSourceOf({ kind, operations }: PlanItem): Promise<string | undefined> {
  if (kind !== 'workflow') return undefined;
  const stored = operations.filter((operation) => operation.do === 'store-revision').at(-1);
  return stored === undefined ? undefined : readFile(stored.file, 'utf8');
}

const COLOURS = { '+': 'green', '-': 'red', '@': 'cyan' } as const;

function coloured(terminal: Terminal, line: string): string {
  const colour = COLOURS[line.charAt(0) as keyof typeof COLOURS];
  return colour === undefined ? line : paint(terminal, colour, line);
}

/** The unified difference of two texts; `name` is that of the texts, or of each. */
export function patchOf(
  terminal: Terminal,
  name: string | readonly [string, string],
  before: string,
  after: string,
): string {
  const [from, to] = typeof name === 'string' ? [name, name] : name;
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, { context: CONTEXT });
  return patch
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => coloured(terminal, line))
    .join('\n');
}

/** The price of the runs of a source: `$1.20 to $3.40 per million runs`; undefined for an invalid one. */
export function priceText(source: string): string | undefined {
  const compiled = compile(source);
  if ('problems' in compiled) return undefined;
  const [cost] = priceRuns(compiled.plan, ITEMS);
  if (cost === undefined) return undefined;
  const [least, most] = [cost.least, cost.most].map((used) => `$${perMillion(used).toFixed(2)}`);
  return `${least === most ? least : `${least} to ${most}`} per million runs`;
}

/**
 * The difference of the source of a workflow that a plan updates, and the price of the new source; empty for any other
 * item. Throws CommandFailedError, ServiceUnreachableError.
 */
export async function differenceText(remote: Remote, terminal: Terminal, item: PlanItem): Promise<string> {
  const source = await newSourceOf(item);
  if (source === undefined) return '';
  const node = item.change === 'update' ? await findNode(remote, item.name) : undefined;
  const patch =
    node === undefined || !isWorkflow(node)
      ? []
      : [patchOf(terminal, item.name, node.latest.source.toString('utf8'), source)];
  const price = priceText(source);
  return [...patch, ...(price === undefined ? [] : [`           ${price}`])].join('\n');
}
