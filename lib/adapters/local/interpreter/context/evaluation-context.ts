import { parseJson } from '../../../../language/json-numbers.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { Field, Templates } from '../program/program.ts';
import { evaluate, type Template } from '../program/template.ts';
import type { Command } from './command.ts';
import { assertWithin, type Limits, textWithin } from './limits.ts';
import { ERRORS, StatesError } from './states-error.ts';
import { type Thread, type Variables, visibleVariables } from './thread.ts';

/** The members of `$states` in expressions besides `input` and `context`. */
export interface ResultBindings {
  readonly result?: unknown;
  readonly errorOutput?: unknown;
}

/** How a state is left. */
export interface Exit {
  /** Holds the Assign and the Output to evaluate. */
  readonly templates: Templates;
  /** The next state; undefined: the branch ends. */
  readonly next: string | undefined;
  /** The output where `templates` has no Output; JSON text. */
  readonly fallback: string;
  readonly bindings?: ResultBindings;
}

/** The properties of an evaluation context. */
export interface EvaluationContextProps {
  readonly thread: Thread;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The iteration whose item is selected: its Map evaluates the ItemSelector for it. */
  readonly iteration?: Thread;
}

const ACCOUNT_ARN = 'arn:aws:states:local:000000000000';
const ROLE_ARN = 'arn:aws:iam::000000000000:role/local';

/**
 * Evaluates the templates of the state that a thread is in, against its input, its variables and the context object.
 */
export class EvaluationContext {
  readonly thread: Thread;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The task token, set while a state builds a task that waits for a callback. */
  token: string | undefined;
  readonly #iteration: Thread | undefined;
  #variables: Record<string, unknown> | undefined;
  #input: unknown;

  constructor({ thread, clock, limits, iteration }: EvaluationContextProps) {
    this.thread = thread;
    this.clock = clock;
    this.limits = limits;
    this.#iteration = iteration;
  }

  get state(): Thread['state'] {
    return this.thread.state;
  }

  /** The state's input, parsed once. */
  get input(): unknown {
    if (this.#input === undefined) this.#input = parseJson(this.thread.input);
    return this.#input;
  }

  /** Whether the state has a template for the field. */
  has(field: Field): boolean {
    return this.state.templates[field] !== undefined;
  }

  /**
   * The value of one of the state's templates; undefined if the state has none.
   * @throws StatesError States.QueryEvaluationError
   */
  async value(field: Field): Promise<unknown> {
    const template = this.state.templates[field];
    return template && this.evaluate(template, field);
  }

  /**
   * The value of a template; `field` names it in the error.
   * @throws StatesError States.QueryEvaluationError
   */
  evaluate(template: Template, field: string, bindings: ResultBindings = {}): Promise<unknown> | unknown {
    if (template.is === 'constant') return template.value;
    this.#variables ??= visibleVariables(this.thread);
    const states = { input: this.input, context: this.#contextObject(), ...bindings };
    return evaluate(template, { ...this.#variables, states }, (expression, reason) => {
      const place = `in the state ${this.state.name} the expression '${expression}' of ${field} fails`;
      throw new StatesError(ERRORS.query, `${place}: ${reason}`);
    });
  }

  /**
   * Leaves the state: evaluates Assign and Output, which both see the variables from before.
   * @throws StatesError
   */
  async leave({ templates, next, fallback, bindings }: Exit): Promise<Command> {
    const assigned = templates.Assign && (await this.evaluate(templates.Assign, 'Assign', bindings));
    const variables = assigned ? this.#assign(assigned as Record<string, unknown>) : this.thread.variables;
    const output = templates.Output
      ? textWithin(this.limits.bytes, 'the output', await this.evaluate(templates.Output, 'Output', bindings))
      : fallback;
    return { kind: 'leave', output, variables, next };
  }

  #assign(assigned: Record<string, unknown>): Variables {
    textWithin(this.limits.bytes, 'what Assign holds', assigned);
    const values = { ...this.thread.variables.values, ...assigned };
    const text = JSON.stringify(values);
    assertWithin(this.limits.variableBytes, 'what the variables hold', text);
    return { values, text };
  }

  /** The context object, `$states.context` (Step Functions developer guide, "Context object"). */
  #contextObject(): Record<string, unknown> {
    const { execution, details } = this.thread;
    const item = currentItem(this.#iteration ?? this.thread);
    return {
      Execution: {
        Id: `${ACCOUNT_ARN}:execution:${execution.machine}:${execution.name}`,
        // Parsed on demand: few expressions read it, and it may be large.
        get Input(): unknown {
          return parseJson(execution.input);
        },
        Name: execution.name,
        RoleArn: ROLE_ARN,
        StartTime: new Date(execution.started).toISOString(),
        RedriveCount: 0,
      },
      StateMachine: { Id: execution.handle, Name: execution.machine },
      State: {
        Name: this.state.name,
        EnteredTime: new Date(details.entered).toISOString(),
        RetryCount: details.retries.reduce((sum, count) => sum + count, 0),
      },
      ...(this.token ? { Task: { Token: this.token } } : {}),
      ...(item ? { Map: { Item: item } } : {}),
    };
  }
}

/** The item of the innermost Map that the thread runs in. */
function currentItem(thread: Thread): { Index: number; Value: unknown } | undefined {
  for (let at: Thread | undefined = thread; at; at = at.parent) {
    const items = at.parent?.branchGroup?.plan.items;
    if (items) return { Index: at.place, Value: items[at.place] };
  }
  return undefined;
}

/** The error of a template whose value has the wrong type; `wanted` names the right one. */
export function wrongType(context: EvaluationContext, field: string, wanted: string): StatesError {
  return new StatesError(ERRORS.query, `in the state ${context.state.name} ${field} must be ${wanted}`);
}

/** The largest number of seconds that Step Functions accepts. */
const MAX_SECONDS = 99_999_999;

/**
 * The value of a template as a whole number from `least` to 99,999,999; undefined if the state has none.
 * @throws StatesError States.QueryEvaluationError for any other value.
 */
export async function wholeNumber(
  context: EvaluationContext,
  field: Field,
  least: number,
): Promise<number | undefined> {
  const value = await context.value(field);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= MAX_SECONDS) return value;
  throw wrongType(context, field, `a whole number from ${least} to ${MAX_SECONDS}`);
}
