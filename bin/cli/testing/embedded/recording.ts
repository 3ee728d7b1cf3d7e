import type { Message } from '../../../../lib/ports/bus.ts';
import type { Write } from '../../../../lib/ports/table.ts';
import { functionName } from '../../../../lib/testing/format/function-keys.ts';
import type { ReceivedCall } from './mocked-containers.ts';
import type { Operation } from './process.ts';

/** A run, as its last commit left it. */
interface Committed {
  readonly id: string;
  readonly path: string;
  readonly at: string;
  readonly isCall: boolean;
}

/** The beginning of the partition keys of runs. */
const RUN = 'run#';
const VARIABLE = /^variables#(namespace|workflow)#(.+)$/;

/** The record of a world: its runs, events and writes of variables, from its durable operations. */
export class Recording {
  /** The runs of workflows, by id, in the order in which they were stored. */
  readonly runs = new Map<string, Committed>();
  /** How often each variable was written: `namespace count` or `workflow <id> count`. */
  readonly variableWrites = new Map<string, number>();
  /** The events that were sent, by id, in their order. */
  readonly messages = new Map<string, Message>();
  #last: Committed | undefined;

  note(operation: Operation): void {
    if (operation.kind === 'messages') for (const one of operation.messages) this.messages.set(one.id, one);
    if (operation.kind === 'write') for (const write of operation.writes) this.#noteWrite(write);
  }

  /** Describes the moment after an operation, for the user. */
  describe(operation: Operation, calls: readonly ReceivedCall[]): string {
    if (operation.kind === 'call') {
      const call = calls.findLast(({ id }) => id === operation.call);
      return `after the call of ${functionName(call?.function ?? '')}`;
    }
    const what = operation.kind === 'write' ? 'the commit' : 'what follows the commit';
    return this.#last === undefined
      ? 'at the start'
      : `after ${what} of '${this.#last.path.slice(1)}' at '${this.#last.at}'`;
  }

  #noteWrite(write: Write): void {
    if (write.do !== 'put') return;
    const { table, item } = write;
    if (table === 'runs' && item.pk.startsWith(RUN)) this.#noteRun(item);
    const [, scope, owner] = VARIABLE.exec(item.pk) ?? [];
    if (scope === undefined) return;
    const name = scope === 'namespace' ? `${scope} ${item.sk}` : `${scope} ${owner} ${item.sk}`;
    this.variableWrites.set(name, (this.variableWrites.get(name) ?? 0) + 1);
  }

  #noteRun(item: Extract<Write, { readonly do: 'put' }>['item']): void {
    const isCall = item['wf'] === '';
    const run = {
      id: item.pk.slice(RUN.length),
      path: String(item['path'] ?? item['as']),
      at: String(item['at']),
      isCall,
    };
    if (!isCall) this.#last = run;
    this.runs.set(run.id, run);
  }
}
