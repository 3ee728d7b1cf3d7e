import { mayContinueAsNew, mayWait, type WaitingState, waitsInParts } from '../plan/execution.ts';
import { type BatchExits, exitsAfter, exitsFrom } from '../plan/flow.ts';
import type { Plan } from '../plan/plan.ts';
import { type Catcher, type ChoiceRule, INVOKE, type State } from './asl.ts';
import { Namer } from './namer.ts';
import { EXECUTION, hasRounds, RETRY_BATCH, STEPS_FUNCTION, type Wiring, waitStates } from './waits.ts';

/** Builds the states of a machine: a task for each batch, the states of each wait, and the choices between them. */
export class MachineBuilder {
  /** The states added so far, by their names. */
  readonly states: Record<string, State> = {};
  private readonly plan: Plan;
  private readonly names = new Namer();
  /** The names of the waits in the machine, by the ids of their states. */
  private readonly waitNames = new Map<string, string>();
  private readonly mayContinueAsNew: boolean;
  private endName: string | undefined;

  constructor(plan: Plan) {
    this.plan = plan;
    this.mayContinueAsNew = mayContinueAsNew(plan);
  }

  /** Adds one task for the whole run, and returns its name. */
  addSingleTask(): string {
    return this.addBatch(this.entryName(), EXECUTION, { waits: [], mayEnd: true });
  }

  /** Adds all states of a machine, and returns the name of the first. */
  addAll(entry: 'start' | 'anywhere'): string {
    const { plan } = this;
    const exits = exitsFrom(plan, [plan.entry]);
    const waits = this.waitsAfter(exits);
    for (const { id } of waits) this.waitNames.set(id, this.names.assign(id));
    const anywhere = { waits: [...this.waitNames.keys()], mayEnd: true };
    const name = this.addBatch(this.entryName(), EXECUTION, entry === 'start' ? exits : anywhere);
    for (const state of waits) this.addWait(state);
    return name;
  }

  /** Returns the waits that a run may reach, in the plan's order: Step Functions rejects states that are never reached. */
  private waitsAfter(exits: BatchExits): readonly WaitingState[] {
    const reached = new Set<WaitingState>();
    const open = [...exits.waits];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const state = this.plan.states[id];
      if (state === undefined || !mayWait(state) || reached.has(state)) continue;
      reached.add(state);
      open.push(...this.exitsOfWait(state).waits);
    }
    return Object.values(this.plan.states)
      .filter(mayWait)
      .filter((state) => reached.has(state));
  }

  private entryName(): string {
    const { entry, states } = this.plan;
    const last = Object.keys(states).at(-1);
    return last === undefined || last === entry ? entry : `${entry} … ${last}`;
  }

  /** A wait may be followed by itself: by the next round of calls, or the next part of a long wait. */
  private exitsOfWait(state: WaitingState): BatchExits {
    const exits = exitsAfter(this.plan, state);
    return hasRounds(state) || waitsInParts(state)
      ? { ...exits, waits: [...new Set([...exits.waits, state.id])] }
      : exits;
  }

  private addWait(state: WaitingState): void {
    const payload = { ...EXECUTION, resume: '{% $pause %}', with: '{% $states.input %}' };
    const after = this.addBatch(`${state.id} …`, payload, this.exitsOfWait(state));
    const wiring: Wiring = {
      name: this.waitNames.get(state.id) ?? state.id,
      after,
      onFailure: catchAll(after),
      assignName: (wanted) => this.names.assign(wanted),
    };
    Object.assign(this.states, waitStates(state, wiring));
  }

  /** Adds the task of a batch, and the choice between its exits if there are several. Returns the name of the task. */
  private addBatch(wanted: string, payload: object, exits: BatchExits): string {
    const name = this.names.assign(wanted);
    this.states[name] = {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: payload },
      ...(exits.waits.length === 0
        ? { Output: {} }
        : { Assign: { pause: '{% $states.result.Payload.pause %}' }, Output: '{% $states.result.Payload %}' }),
      Retry: RETRY_BATCH,
      ...this.transitionFrom(name, exits),
    };
    return name;
  }

  private transitionFrom(name: string, { waits, mayEnd }: BatchExits): { End: true } | { Next: string } {
    const [first] = waits;
    if (first === undefined) return { End: true };
    // An execution whose run continues in a new one ends here.
    const isOnlyExit = !mayEnd && waits.length === 1 && !this.mayContinueAsNew;
    if (isOnlyExit) return { Next: this.waitNames.get(first) ?? first };
    return { Next: this.addChoice(name, waits) };
  }

  private addChoice(from: string, waits: readonly string[]): string {
    const name = this.names.assign(`${from} ?`);
    const rules: ChoiceRule[] = waits.map((id) => ({
      Condition: `{% $states.input.next = ${JSON.stringify(id)} %}`,
      Next: this.waitNames.get(id) ?? id,
    }));
    this.states[name] = { Type: 'Choice', Choices: rules, Default: this.addEnd() };
    return name;
  }

  private addEnd(): string {
    this.endName ??= this.names.assign('end');
    this.states[this.endName] = { Type: 'Succeed' };
    return this.endName;
  }
}

/** Passes every failure of a wait to the batch after it, which decides what it means. */
function catchAll(Next: string): readonly Catcher[] {
  const Output = '{% {"error": $states.errorOutput.Error, "cause": $states.errorOutput.Cause} %}';
  // States.ALL does not include States.DataLimitExceeded.
  return [
    { ErrorEquals: ['States.DataLimitExceeded'], Output, Next },
    { ErrorEquals: ['States.ALL'], Output, Next },
  ];
}
