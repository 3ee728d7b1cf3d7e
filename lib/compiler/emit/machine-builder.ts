import { ownMember } from '../../language/own-members.ts';
import { isShort, mayContinueAsNew, mayWait, type WaitingState, waitsInParts } from '../plan/execution.ts';
import { type BatchExits, exitsAfter, exitsFrom, successors } from '../plan/flow.ts';
import type { Plan } from '../plan/plan.ts';
import { type Catcher, type ChoiceRule, INVOKE, type Onward, type State } from './asl.ts';
import { Namer } from './namer.ts';
import { EXECUTION, hasRounds, RETRY_BATCH, STEPS_FUNCTION, type Wiring, waitStates } from './waits.ts';

/**
 * Each wait has a batch of its own after it, and each batch a choice with the waits that may follow. Where these choices
 * would have more rules than this in all, the waits share one batch and one choice: the machine grows with the number of
 * its waits, not with the square of it.
 */
const MAX_RULES = 500;

/**
 * The same where the batches would pass more states than this in all: each batch may pass every state, and the time to
 * find its exits would grow with the square of the states.
 */
const MAX_PASSED = 100_000;

/** The choice with which a machine for any state begins has no more rules than this: with more waits, a step leads to them. */
const MAX_FIRST_WAITS = 100;

/** The payload of the batch after a wait, whose output has the number of the wait. */
const RESUME = { ...EXECUTION, resume: '{% $states.input.pause %}', with: '{% $states.input %}' };

/**
 * The machines of a revision, by where their executions begin: at the start of a run, at the first wait of a run whose states
 * before it have run already, or at any state at which a run waits or continues.
 */
export type MachineKind = 'start' | 'firstWait' | 'anyState';

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
  /** By batch: how it continues. */
  private readonly onward = new Map<string, Onward>();
  /** The name of the batch after all waits, if they share one. */
  private sharedBatch: string | undefined;

  constructor(plan: Plan) {
    this.plan = plan;
    this.mayContinueAsNew = mayContinueAsNew(plan);
  }

  /** Adds one task for the whole run, and returns its name. */
  addSingleTask(): string {
    return this.addBatch(this.entryName(), EXECUTION, { waits: [], mayEnd: true, passed: 0 });
  }

  /** Adds all states of a machine, and returns the name of the first. */
  addAll(kind: MachineKind): string {
    const { plan } = this;
    const exits = exitsFrom(plan, [plan.entry]);
    const waits = this.reachableWaits();
    for (const { id } of waits) this.waitNames.set(id, this.names.assign(id));
    const anywhere = { waits: [...this.waitNames.keys()], mayEnd: true, passed: 0 };
    const first = kind === 'anyState' ? anywhere : exits;
    const isShared = this.hasManyRules(first, waits);
    const name = kind === 'firstWait' ? this.firstWait(exits) : this.firstBatch(kind, isShared ? anywhere : first);
    if (isShared) this.sharedBatch = this.addBatch('…', RESUME, anywhere);
    for (const state of waits) this.addWait(state);
    return name;
  }

  /** The state with which a machine begins whose input is a wait; a choice, if it may be one of several. */
  private firstWait({ waits }: BatchExits): string {
    const [first] = waits;
    return first !== undefined && waits.length === 1 ? this.nameOfWait(first) : this.addChoice(this.entryName(), waits);
  }

  /** The batch with which a machine begins. One for any state goes at once to the wait that its input may be. */
  private firstBatch(kind: MachineKind, exits: BatchExits): string {
    const batch = this.addBatch(this.entryName(), EXECUTION, exits);
    const mayBeginAtWait = kind === 'anyState' && exits.waits.length > 0 && exits.waits.length <= MAX_FIRST_WAITS;
    return mayBeginAtWait ? this.addChoice(this.entryName(), exits.waits, batch) : batch;
  }

  private nameOfWait(id: string): string {
    return this.waitNames.get(id) ?? id;
  }

  /** Whether the choices of the batches would have more than `MAX_RULES` rules, or the batches pass `MAX_PASSED` states. */
  private hasManyRules(first: BatchExits, waits: readonly WaitingState[]): boolean {
    let rules = first.waits.length;
    let passed = 0;
    // Counted no further than needed: of a thousand waits, each may be followed by all others.
    return waits.some((state) => {
      const exits = this.exitsOfWait(state);
      rules += exits.waits.length;
      passed += exits.passed;
      return rules > MAX_RULES || passed > MAX_PASSED;
    });
  }

  /** Returns the waits that a run may reach, in the plan's order: Step Functions rejects states that are never reached. */
  private reachableWaits(): readonly WaitingState[] {
    const reached = new Set<string>();
    const open = [this.plan.entry];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const state = this.plan.states[id];
      if (state === undefined || reached.has(id)) continue;
      reached.add(id);
      open.push(...successors(state));
    }
    return Object.values(this.plan.states)
      .filter(mayWait)
      .filter(({ id }) => reached.has(id));
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
    const after = this.sharedBatch ?? this.addBatch(`${state.id} …`, RESUME, this.exitsOfWait(state));
    const wiring: Wiring = {
      name: this.nameOfWait(state.id),
      after,
      onward: this.onward.get(after) ?? { Next: after },
      onError: catchAll(after),
      assignName: (wanted) => this.names.assign(wanted),
    };
    Object.assign(this.states, waitStates(state, wiring));
  }

  /** Adds the task of a batch, and the choice between its exits if there are several. Returns the name of the task. */
  private addBatch(wanted: string, payload: object, exits: BatchExits): string {
    const name = this.names.assign(wanted);
    const onward = this.transitionFrom(name, exits);
    this.onward.set(name, onward);
    this.states[name] = {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: payload },
      ...(exits.waits.length === 0 ? { Output: {} } : { Output: '{% $states.result.Payload %}' }),
      Retry: RETRY_BATCH,
      ...onward,
    };
    return name;
  }

  private transitionFrom(name: string, { waits, mayEnd }: BatchExits): Onward {
    const [first] = waits;
    if (first === undefined) return { End: true };
    // An execution whose run continues in a new one, or waits without a machine, ends here.
    const isOnlyExit = !mayEnd && waits.length === 1 && !this.mayContinueAsNew && !this.isShortDelay(first);
    if (isOnlyExit) return { Next: this.nameOfWait(first) };
    return { Next: this.addChoice(name, waits) };
  }

  private isShortDelay(id: string): boolean {
    const work = ownMember(this.plan.states, id)?.work;
    return work?.do === 'sleep' && isShort(work);
  }

  private addChoice(from: string, waits: readonly string[], otherwise = this.addEnd()): string {
    const name = this.names.assign(`${from} ?`);
    const rules: ChoiceRule[] = waits.map((id) => ({
      Condition: `{% $states.input.next = ${JSON.stringify(id)} %}`,
      Next: this.nameOfWait(id),
    }));
    this.states[name] = { Type: 'Choice', Choices: rules, Default: otherwise };
    return name;
  }

  private addEnd(): string {
    this.endName ??= this.names.assign('end');
    this.states[this.endName] = { Type: 'Succeed' };
    return this.endName;
  }
}

/** Passes every error of a wait to the batch after it, which decides what it means: also those of `TASK_ERROR`, which are no failures. */
function catchAll(Next: string): readonly Catcher[] {
  const Output =
    '{% {"error": $states.errorOutput.Error, "cause": $states.errorOutput.Cause, "pause": $states.input.pause} %}';
  // States.ALL does not include States.DataLimitExceeded.
  return [
    { ErrorEquals: ['States.DataLimitExceeded'], Output, Next },
    { ErrorEquals: ['States.ALL'], Output, Next },
  ];
}
