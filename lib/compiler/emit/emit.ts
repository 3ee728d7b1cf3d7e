import { type Exits, exitsAfter, exitsFrom, mayBeBrief, mayOutgrow, waitsInParts } from '../plan/paths.ts';
import type { Plan, StatePlan } from '../plan/plan.ts';
import { type Catcher, type ChoiceRule, INVOKE, type Retrier, type State, type StateMachine } from './asl.ts';
import { Namer } from './namer.ts';
import { EXECUTION, pauseStates, RETRY, STEPS_FUNCTION, type Wiring } from './waits.ts';

export { STEPS_FUNCTION } from './waits.ts';

export interface Emitted {
  readonly definition: StateMachine;
  readonly tier: 'EXPRESS' | 'STANDARD';
}

/** A segment that committed and has more to do is called again. */
const AGAIN: Retrier = { ErrorEquals: ['Weft.Again'], IntervalSeconds: 1, MaxAttempts: 100_000, BackoffRate: 1 };

/** What a step needs to find its place: the run, and which of the run's executions asks. */
const PLACE = EXECUTION;

/** Where a machine begins: with the run, or wherever the run stands. */
export type Beginning = 'start' | 'anywhere';

/**
 * The state machine of a plan. What needs no waiting runs in tasks, many states in one; each wait is a state of its own
 * under the user's name for it. A run that may end without waiting begins in a machine that cannot wait, one task of
 * the tier EXPRESS; if it must wait after all, the machine that begins `anywhere` takes it up.
 */
export function emit(plan: Plan, beginning: Beginning = 'start'): Emitted {
  const isBrief = beginning === 'start' && mayBeBrief(plan);
  const machine = new Machine(plan);
  const StartAt = isBrief ? machine.addOnly() : machine.begin(beginning);
  const definition: StateMachine = {
    Comment: 'Made by Weft from a workflow; the states keep their names.',
    QueryLanguage: 'JSONata',
    StartAt,
    States: machine.states,
  };
  return { definition, tier: isBrief ? 'EXPRESS' : 'STANDARD' };
}

class Machine {
  readonly states: Record<string, State> = {};
  private readonly plan: Plan;
  private readonly names: Namer;
  private readonly nameOfPause = new Map<string, string>();

  constructor(plan: Plan) {
    this.plan = plan;
    this.names = new Namer();
  }

  /** The whole run as one task. */
  addOnly(): string {
    return this.addSegment(this.entryName(), PLACE, { pauses: [], mayEnd: true });
  }

  begin(beginning: Beginning): string {
    const { plan } = this;
    const exits = exitsFrom(plan, [plan.entry]);
    const pauses = this.pausesAfter(exits);
    for (const { id } of pauses) this.nameOfPause.set(id, this.names.take(id));
    const all = { pauses: [...this.nameOfPause.keys()], mayEnd: true };
    const name = this.addSegment(this.entryName(), PLACE, beginning === 'start' ? exits : all);
    for (const state of pauses) this.addPause(state);
    return name;
  }

  /** Where a run may pause that begins so, in the plan's order: a machine may hold no state that is never reached. */
  private pausesAfter(exits: Exits): readonly StatePlan[] {
    const reached = new Set<StatePlan>();
    const open = [...exits.pauses];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const state = this.plan.states[id];
      if (state === undefined || reached.has(state)) continue;
      reached.add(state);
      open.push(...this.exitsOfPause(state).pauses);
    }
    return Object.values(this.plan.states).filter((state) => reached.has(state));
  }

  private entryName(): string {
    const { entry, states } = this.plan;
    const last = Object.keys(states).at(-1);
    return last === undefined || last === entry ? entry : `${entry} … ${last}`;
  }

  /** A pause that is over may be followed by the same pause: the next round of a loop, the next part of a long wait. */
  private exitsOfPause(state: StatePlan): Exits {
    const exits = exitsAfter(this.plan, state);
    const again = state.work.do === 'each' || state.work.do === 'all' || waitsInParts(state);
    return again ? { ...exits, pauses: [...new Set([...exits.pauses, state.id])] } : exits;
  }

  private addPause(state: StatePlan): void {
    const name = this.nameOfPause.get(state.id) ?? state.id;
    const resume = { ...PLACE, resume: '{% $pause %}', with: '{% $states.input %}' };
    const after = this.addSegment(`${state.id} …`, resume, this.exitsOfPause(state));
    const wiring: Wiring = { name, after, onFailure: failedInto(after), take: (wanted) => this.names.take(wanted) };
    Object.assign(this.states, pauseStates(state, wiring));
  }

  /** A call of the steps function, and the choice of where it leads if that is more than one way. */
  private addSegment(wanted: string, payload: object, exits: Exits): string {
    const name = this.names.take(wanted);
    this.states[name] = {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: payload },
      ...(exits.pauses.length === 0
        ? { Output: {} }
        : { Assign: { pause: '{% $states.result.Payload.pause %}' }, Output: '{% $states.result.Payload %}' }),
      Retry: [AGAIN, ...RETRY],
      ...this.onward(name, exits),
    };
    return name;
  }

  private onward(from: string, { pauses, mayEnd }: Exits): { End: true } | { Next: string } {
    const [first] = pauses;
    if (first === undefined) return { End: true };
    // The execution of a run that may outgrow it must be able to end and let another one take over.
    const isOnly = !mayEnd && pauses.length === 1 && !this.mayOutgrow();
    if (isOnly) return { Next: this.nameOfPause.get(first) ?? first };
    return { Next: this.addChoice(from, pauses) };
  }

  private outgrows: boolean | undefined;
  private mayOutgrow(): boolean {
    this.outgrows ??= mayOutgrow(this.plan);
    return this.outgrows;
  }

  private addChoice(from: string, pauses: readonly string[]): string {
    const name = this.names.take(`${from} ?`);
    const rules: ChoiceRule[] = pauses.map((id) => ({
      Condition: `{% $states.input.next = ${JSON.stringify(id)} %}`,
      Next: this.nameOfPause.get(id) ?? id,
    }));
    this.states[name] = { Type: 'Choice', Choices: rules, Default: this.end() };
    return name;
  }

  private endName: string | undefined;
  private end(): string {
    this.endName ??= this.names.take('end');
    this.states[this.endName] = { Type: 'Succeed' };
    return this.endName;
  }
}

/** Whatever ends a wait otherwise than well goes to the step that follows it, which knows what it means. */
function failedInto(Next: string): readonly Catcher[] {
  const Output = '{% {"error": $states.errorOutput.Error, "cause": $states.errorOutput.Cause} %}';
  // States.ALL does not cover the first.
  return [
    { ErrorEquals: ['States.DataLimitExceeded'], Output, Next },
    { ErrorEquals: ['States.ALL'], Output, Next },
  ];
}
