import type { Position } from '../../language/position.ts';
import type { Json } from '../../language/yaml/parser.ts';
import type { Span } from './moments.ts';

/** A file of tests, decoded. Durations are ISO 8601, as written. */
export interface TestSuite {
  readonly cases: readonly TestCase[];
  /** The folders whose files are at the root of the tree, relative to the file of tests. */
  readonly folders: readonly string[];
}

/** The scopes of variables that a test may set and expect. Those of an instance exist only after it has started. */
export type TestScope = 'namespace' | 'workflow' | 'instance';

/** Variables by scope and name. Null, as an expectation: there is no such variable. */
export type TestVariables = { readonly [S in TestScope]?: Readonly<Record<string, Json>> };

/** One test of a workflow. */
export interface TestCase extends Position {
  readonly name: string;
  /** The file of the workflow, relative to the file of tests. */
  readonly workflow: string;
  /** Further workflows that are stored: those that the events start. Subflows are stored without being named. */
  readonly others: readonly string[];
  /** Undefined: `{}`; a workflow that events or the clock start gets its input from them. */
  readonly input: Json | undefined;
  readonly variables: TestVariables;
  readonly secrets: Readonly<Record<string, string>>;
  readonly mocks: readonly Mock[];
  readonly events: readonly TestEvent[];
  /** In the order in which they are made. */
  readonly decisions: readonly TestDecision[];
  /** The time at which the case begins, milliseconds since 1970; undefined: a fixed time. */
  readonly now: number | undefined;
  /** The reason why the case is not run. */
  readonly skip: string | undefined;
  readonly expect: Expectation;
}

/** Stands for a function. A function that is mocked is not called. */
export interface Mock extends Position {
  /** The id of the function; `path#id` for a function of another workflow of the tree. */
  readonly function: string;
  /** One answer for every call, or answers that are used one after the other. */
  readonly answers: readonly MockAnswer[];
  /** The single answer serves every call. */
  readonly isConstant: boolean;
  /** The function recognises a repeated call and has its effect once. */
  readonly idempotent: boolean;
  /** The mock is for all cases of the file, also for those whose workflows have no such function. */
  readonly isShared: boolean;
}

/** How a mock answers a call. */
export interface MockAnswer {
  /** The answer is for calls whose input has these parts; undefined: for every call. */
  readonly input: Json | undefined;
  readonly return: Json | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly delay: Span | undefined;
  /** The variables that the function sets. */
  readonly variables: TestVariables;
  /** The answer is not used up. */
  readonly repeat: boolean;
}

/** An event that the case sends. */
export interface TestEvent extends Position {
  /** After the start of the case; undefined: at the time of the event before it, after all that this one causes without time passing. */
  readonly after: Span | undefined;
  readonly type: string;
  readonly source: string | undefined;
  readonly id: string | undefined;
  readonly data: Json | undefined;
  /** Further attributes, with which events are matched. */
  readonly context: Readonly<Record<string, Json>>;
}

/** A decision of an approval that the case makes. */
export interface TestDecision extends Position {
  /** The state that waits: its id, or `path#id` in another workflow; undefined: the one that has waited longest. */
  readonly state: string | undefined;
  /** After the start of the case; undefined: as soon as the approval waits, and the decisions before are made. */
  readonly after: Span | undefined;
  readonly choice: string;
  /** The values of the form. */
  readonly form: Readonly<Record<string, Json>>;
  /** The name of the decider. */
  readonly by: string;
  /** The address of the request. */
  readonly from: string;
}

/** The states that a run has visited: in their order, or how often each. */
export type ExpectedStates = readonly string[] | Readonly<Record<string, number>>;

/** The calls of a function: how many, or the inputs in their order. */
export type ExpectedCalls = number | readonly Json[];

/** The virtual time that the run has taken: a duration, or limits of it. */
export interface ExpectedTime {
  readonly least: string | undefined;
  readonly most: string | undefined;
}

/** The expectation of a case. Undefined members are not compared. */
export interface Expectation {
  readonly status: 'complete' | 'failed' | 'crashed' | 'pending';
  /** The code of the error; the message contains the text. */
  readonly error: { readonly code: string | undefined; readonly message: string | undefined } | undefined;
  /** Parts of the output. */
  readonly output: Json | undefined;
  readonly states: ExpectedStates | undefined;
  readonly calls: Readonly<Record<string, ExpectedCalls>>;
  /** The events that runs have sent, in their order: parts of each. */
  readonly events: readonly Readonly<Record<string, Json>>[] | undefined;
  readonly variables: TestVariables;
  readonly took: ExpectedTime | undefined;
  /** How many runs of the workflow there were. */
  readonly runs: number | undefined;
  /** The place of each field in the file. */
  readonly places: Readonly<Record<string, Position>>;
}
