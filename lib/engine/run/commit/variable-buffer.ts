import { countingWrites } from '../../../domain/namespaces/stored-variables.ts';
import { variableProblem } from '../../../domain/namespaces/variable-room.ts';
import * as variables from '../../../domain/namespaces/variables.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import type { Write } from '../../../ports/table.ts';
import { failure } from '../../evaluation/failures.ts';
import type { EnginePorts } from '../../ports.ts';

/** A variable as the run has changed it: undefined when the run deleted it. */
interface Change {
  readonly owner: variables.Owner;
  readonly name: string;
  readonly variable?: variables.Variable;
  /** The size of the stored one, bytes; undefined: there is none. */
  readonly before: number | undefined;
}

type Needs = Pick<EnginePorts, 'table' | 'blobs' | 'clock' | 'settings'>;

const keyOf = ({ scope }: variables.Owner, name: string): string => `${scope}/${name}`;

/** The variables that a run has changed and not committed. It reads its own changes. */
export class VariableBuffer {
  private readonly ports: Needs;
  private readonly namespace: { readonly id: string; readonly limits?: Run['settings']['limits'] };
  private readonly changes = new Map<string, Change>();
  /** The owners of thread variables, by name. */
  threads: Run['threads'];

  constructor(ports: Needs, { threads, namespaceId, settings }: Pick<Run, 'threads' | 'namespaceId' | 'settings'>) {
    this.ports = ports;
    this.namespace = { id: namespaceId, limits: settings.limits };
    this.threads = threads;
  }

  /** The variable as the run has changed it, else as it is stored; undefined when there is none. */
  async read(owner: variables.Owner, name: string): Promise<variables.Variable | undefined> {
    const change = this.changes.get(keyOf(owner, name));
    return change === undefined ? variables.find(this.ports, owner, name) : change.variable;
  }

  /** Sets a variable with the next commit. Throws the catchable `limits.variables` if a quota is used up. */
  async write(owner: variables.Owner, { variable, replaces }: variables.Made): Promise<void> {
    const { name, bytes } = variable;
    const problem = await variableProblem(this.ports, this.namespace, { owner, before: replaces, after: bytes.length });
    if (problem !== undefined) throw failure('limits.variables', problem);
    if (owner.scope === 'thread') this.threads = { ...this.threads, [name]: owner.id };
    const known = this.changes.get(keyOf(owner, name));
    this.changes.set(keyOf(owner, name), {
      owner,
      name,
      variable,
      before: known === undefined ? replaces : known.before,
    });
  }

  /** Deletes a variable with the next commit. */
  async delete(owner: variables.Owner, name: string): Promise<void> {
    const known = this.changes.get(keyOf(owner, name));
    const before = known === undefined ? await variables.sizeOf(this.ports, owner, name) : known.before;
    this.changes.set(keyOf(owner, name), { owner, name, before });
  }

  /** How many writes the changes are. */
  get size(): number {
    return this.changes.size;
  }

  /** The writes of the changes, and those that count them; large values are stored as blobs first. */
  async toWrites(): Promise<Write[]> {
    const all = [...this.changes.values()];
    const writes = all.map(async ({ owner, name, variable, before }) =>
      variable === undefined
        ? variables.toDeletion(owner, name, before)
        : variables.toWrite(this.ports, owner, variable, before),
    );
    const sizes = all.map(({ variable, ...change }) => ({ ...change, after: variable?.bytes.length }));
    return [...(await Promise.all(writes)), ...countingWrites(this.namespace.id, sizes)];
  }
}
