import { rowsAt, statusOf, textAt } from '../client/replies.ts';
import type { Service } from '../client/service.ts';
import { updates } from '../client/streams.ts';
import { type Colour, paint, type Terminal } from '../shell/terminal.ts';

/** Of more runs that start at once, the oldest are not shown. */
const MAX_ROWS = 200;

const MARKS: ReadonlyMap<string, readonly [mark: string, colour: Colour]> = new Map([
  ['pending', ['▶', 'cyan']],
  ['queued', ['…', 'cyan']],
  ['complete', ['✓', 'green']],
]);

/** A change of a run. */
export interface RunChange {
  readonly id: string;
  readonly workflow: string;
  /** `pending` when it started, `queued` when it waits for a place, else how it ended. */
  readonly status: string;
  /** How long it took, milliseconds; undefined while it runs. */
  readonly ms: number | undefined;
  /** Why it failed: code and message; empty if it did not. */
  readonly reason: string;
}

function toChange(row: unknown): RunChange {
  const [status, started, ended] = [statusOf(row), textAt(row, 'createdAt'), textAt(row, 'updatedAt')];
  const parts = [textAt(row, 'errorCode'), textAt(row, 'errorMessage')].filter((text) => text !== '');
  return {
    id: textAt(row, 'id'),
    workflow: textAt(row, 'as'),
    status,
    ms: textAt(row, 'status') === 'pending' ? undefined : Date.parse(ended) - Date.parse(started),
    reason: parts.join(': '),
  };
}

/** The line of a change: `✓ 0190f3c2 orders/pay complete in 0.120 s`. */
export function changeLine(terminal: Terminal, { id, workflow, status, ms, reason }: RunChange): string {
  const [mark, colour] = MARKS.get(status) ?? ['✗', 'red'];
  const word = status === 'pending' ? 'started' : status;
  const time = ms === undefined ? '' : ` in ${(Math.max(ms, 0) / 1000).toFixed(3)} s`;
  const why = reason === '' ? '' : `: ${reason.replaceAll('\n', ' ')}`;
  return `${paint(terminal, colour, mark)} ${id} ${workflow} ${word}${time}${why}`;
}

/** Remembers which changes were shown, and returns the others, the oldest first. Of runs, those that a run called are left out. */
export class RunWatch {
  readonly #shown = new Map<string, string>();

  next(rows: readonly unknown[]): RunChange[] {
    const own = rows.filter((row) => !textAt(row, 'invoker').startsWith('instance')).map(toChange);
    const fresh = own.toReversed().filter(({ id, status }) => this.#shown.get(id) !== status);
    for (const { id, status } of fresh) this.#shown.set(id, status);
    return fresh;
  }
}

/** Passes each start and end of a run of the namespace to `onChange`, until the signal is aborted. */
export async function followRuns(
  service: Service,
  base: string,
  signal: AbortSignal,
  onChange: (change: RunChange) => Promise<void>,
): Promise<void> {
  const watch = new RunWatch();
  let isFirst = true;
  for await (const { value } of updates(service, `${base}/instances?limit=${MAX_ROWS}`, signal)) {
    const changes = watch.next(rowsAt(value, 'instances') ?? []);
    // The runs of earlier sessions are no news.
    if (!isFirst) for (const change of changes) await onChange(change);
    isFirst = false;
  }
}
