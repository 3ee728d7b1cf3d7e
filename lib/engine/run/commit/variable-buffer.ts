import * as variables from '../../../domain/namespaces/variables.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import type { Write } from '../../../ports/table.ts';
import type { EnginePorts } from '../../ports.ts';

/** A variable as the run has changed it: undefined when the run deleted it. */
interface Change {
  readonly owner: variables.Owner;
  readonly name: string;
  readonly variable?: variables.Variable;
}

const keyOf = ({ scope }: variables.Owner, name: string): string => `${scope}/${name}`;

/** The variables that a run has changed and not committed. It reads its own changes. */
export class VariableBuffer {
  private readonly ports: Pick<EnginePorts, 'table' | 'blobs'>;
  private readonly changes = new Map<string, Change>();
  /** The owners of thread variables, by name. */
  threads: Run['threads'];

  constructor(ports: Pick<EnginePorts, 'table' | 'blobs'>, { threads }: Pick<Run, 'threads'>) {
    this.ports = ports;
    this.threads = threads;
  }

  /** The variable as the run has changed it, else as it is stored; undefined when there is none. */
  async read(owner: variables.Owner, name: string): Promise<variables.Variable | undefined> {
    const change = this.changes.get(keyOf(owner, name));
    return change === undefined ? variables.find(this.ports, owner, name) : change.variable;
  }

  /** Sets a variable with the next commit. */
  write(owner: variables.Owner, variable: variables.Variable): void {
    const { name } = variable;
    if (owner.scope === 'thread') this.threads = { ...this.threads, [name]: owner.id };
    this.changes.set(keyOf(owner, name), { owner, name, variable });
  }

  /** Deletes a variable with the next commit. */
  delete(owner: variables.Owner, name: string): void {
    this.changes.set(keyOf(owner, name), { owner, name });
  }

  /** How many writes the changes are. */
  get size(): number {
    return this.changes.size;
  }

  /** The writes of the changes; large values are stored as blobs first. */
  toWrites(): Promise<Write[]> {
    const writes = [...this.changes.values()].map(async ({ owner, name, variable }) =>
      variable === undefined ? variables.toDeletion(owner, name) : variables.toWrite(this.ports, owner, variable),
    );
    return Promise.all(writes);
  }
}
