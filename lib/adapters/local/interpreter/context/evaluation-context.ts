import type { Clock } from '../../../../ports/clock.ts';
import type { Field, Templates } from '../program/program.ts';
import { fill, type Template } from '../program/template.ts';
import { ERRORS, StateFailure } from './failure.ts';
import { assertWithin, type Limits, textWithin } from './limits.ts';
import { type Family, type Thread, type Variables, visible } from './thread.ts';

/** What a thread does next; the interpreter carries it out and journals it. */
export type Move =
  | { readonly move: 'on'; readonly output: string; readonly variables: Variables; readonly next: string | undefined }
  | { readonly move: 'begin'; readonly input: string }
  | { readonly move: 'wait'; readonly due: number }
  | { readonly move: 'retry'; readonly due: number; readonly retries: readonly number[] }
  | {
      readonly move: 'call';
      readonly work: string;
      readonly token?: string;
      readonly due?: number;
      readonly dueError?: string;
    }
  | { readonly move: 'fork'; readonly plan: Family['plan'] }
  | { readonly move: 'fail'; readonly failure: StateFailure }
  | { readonly move: 'give-up'; readonly failure: StateFailure };

/** What a state sees besides its input, under `$states`. */
export interface Extras {
  readonly result?: unknown;
  readonly errorOutput?: unknown;
}

const RESERVED = 'arn:aws:states:local:000000000000';
const ROLE = 'arn:aws:iam::000000000000:role/local';

/** One visit of a thread to its state: evaluates the state's templates against input, variables and context. */
export class Scene {
  readonly thread: Thread;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The iteration whose item is being chosen; its Map evaluates on its behalf. */
  readonly child: Thread | undefined;
  /** Set while the state makes a task that waits for a token. */
  token: string | undefined;
  #variables: Record<string, unknown> | undefined;
  #input: unknown;

  constructor(thread: Thread, clock: Clock, limits: Limits, child?: Thread) {
    this.thread = thread;
    this.child = child;
    this.clock = clock;
    this.limits = limits;
  }

  get step(): Thread['step'] {
    return this.thread.step;
  }

  /** The state's input, parsed once. */
  get input(): unknown {
    if (this.#input === undefined) this.#input = JSON.parse(this.thread.input);
    return this.#input;
  }

  has(field: Field): boolean {
    return this.step.fields[field] !== undefined;
  }

  /** The value of one of the state's templates; undefined if the state has none. Throws StateFailure. */
  async value(field: Field, extras: Extras = {}): Promise<unknown> {
    const found = this.step.fields[field];
    return found && this.fill(found, field, extras);
  }

  /** The value of a template. Throws the failure States.QueryEvaluationError. */
  fill(what: Template, field: string, extras: Extras = {}): Promise<unknown> | unknown {
    if (what.is === 'constant') return what.value;
    this.#variables ??= visible(this.thread);
    const states = { input: this.input, context: this.#context(), ...extras };
    return fill(what, { ...this.#variables, states }, (expression, why) =>
      refuse(`in the state ${this.step.name} the expression '${expression}' of ${field} fails: ${why}`),
    );
  }

  /**
   * Leaves the state: Assign and Output see the same variables. Without Output the `fallback` text goes on.
   * Throws StateFailure.
   */
  async leave(fields: Templates, next: string | undefined, fallback: string, extras: Extras = {}): Promise<Move> {
    const assigned = fields.Assign && (await this.fill(fields.Assign, 'Assign', extras));
    const variables = assigned ? this.#assign(assigned as Record<string, unknown>) : this.thread.variables;
    const output = fields.Output
      ? textWithin(this.limits.bytes, 'the output', await this.fill(fields.Output, 'Output', extras))
      : fallback;
    return { move: 'on', output, variables, next };
  }

  #assign(assigned: Record<string, unknown>): Variables {
    textWithin(this.limits.bytes, 'what Assign holds', assigned);
    const values = { ...this.thread.variables.values, ...assigned };
    const text = JSON.stringify(values);
    assertWithin(this.limits.variableBytes, 'what the variables hold', text);
    return { values, text };
  }

  #context(): Record<string, unknown> {
    const { execution, details } = this.thread;
    const item = itemOf(this.child ?? this.thread);
    return {
      Execution: {
        Id: `${RESERVED}:execution:${execution.machine}:${execution.name}`,
        // Few expressions ask for it, and it may be large.
        get Input(): unknown {
          return JSON.parse(execution.input);
        },
        Name: execution.name,
        RoleArn: ROLE,
        StartTime: new Date(execution.started).toISOString(),
        RedriveCount: 0,
      },
      StateMachine: { Id: execution.handle, Name: execution.machine },
      State: {
        Name: this.step.name,
        EnteredTime: new Date(details.entered).toISOString(),
        RetryCount: details.retries.reduce((sum, count) => sum + count, 0),
      },
      ...(this.token ? { Task: { Token: this.token } } : {}),
      ...(item ? { Map: { Item: item } } : {}),
    };
  }
}

/** The item of the innermost Map the thread runs in. */
function itemOf(thread: Thread): { Index: number; Value: unknown } | undefined {
  for (let at: Thread | undefined = thread; at; at = at.parent) {
    const items = at.parent?.family?.plan.items;
    if (items) return { Index: at.place, Value: items[at.place] };
  }
  return undefined;
}

function refuse(cause: string): never {
  throw new StateFailure(ERRORS.query, cause);
}

/** The failure of a template that yields a value of the wrong kind. */
export function unfit(scene: Scene, field: string, wanted: string): StateFailure {
  return new StateFailure(ERRORS.query, `in the state ${scene.step.name} ${field} must be ${wanted}`);
}

/** A whole number from a template. Throws the failure States.QueryEvaluationError for anything else. */
export async function whole(scene: Scene, field: Field, least: number, most = 99_999_999): Promise<number | undefined> {
  const value = await scene.value(field);
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw unfit(scene, field, `a whole number from ${least} to ${most}`);
}
