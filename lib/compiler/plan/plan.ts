/**
 * The plan: what a workflow means, as frozen data. It is stored with its revision and is all that the engine knows of
 * a workflow; `emit` makes the state machine of it. Values of type `Query` are evaluated at run time.
 */

export const PLAN_VERSION = 1;

/** A structured query: any JSON value whose strings may hold jq(...) and js(...). Absent means the whole data. */
export type Query = unknown;

/** An ISO 8601 duration as written, for example PT5S. */
export type Duration = string;

export interface Plan {
  readonly version: typeof PLAN_VERSION;
  readonly start: Start;
  /** The id of the state a run begins with. */
  readonly entry: string;
  readonly timeouts: { readonly interrupt?: Duration; readonly kill?: Duration };
  readonly functions: Readonly<Record<string, FunctionPlan>>;
  readonly states: Readonly<Record<string, StatePlan>>;
}

export type Start =
  | { readonly type: 'default' }
  | { readonly type: 'scheduled'; readonly cron: string }
  | {
      readonly type: 'event' | 'eventsXor' | 'eventsAnd';
      readonly events: readonly EventFilter[];
      readonly lifespan?: Duration;
    };

/** In a start the context values are literal; in a wait they are queries. */
export interface EventFilter {
  readonly type: string;
  readonly context: Readonly<Record<string, Query>>;
}

export type FunctionPlan =
  | { readonly type: 'subflow'; readonly workflow: string }
  | { readonly type: 'knative-namespace' | 'knative-global'; readonly service: string }
  | {
      readonly type: 'knative-workflow';
      readonly image: string;
      readonly size: 'small' | 'medium' | 'large';
      readonly cmd: string;
      readonly scale: number;
      readonly envs: Readonly<Record<string, string>>;
    };

export interface StatePlan {
  readonly id: string;
  readonly type: string;
  /** Absent: nothing is logged. */
  readonly log?: Query;
  readonly metadata?: Query;
  readonly catch: readonly CatchPlan[];
  readonly work: Work;
  /** What follows a success, unless the work chose an exit of its own. */
  readonly exit: Exit;
}

export interface CatchPlan {
  /** An RE2 regular expression, unanchored, or `*`. */
  readonly error: string;
  readonly transition?: string;
}

/** The way out of a state: transform the data, then go to a state or end. */
export interface Exit {
  readonly transform?: Query;
  readonly transition?: string;
}

export type Scope = 'instance' | 'workflow' | 'namespace' | 'thread' | 'system' | 'file';

/** What a state does, in the engine's vocabulary. */
export type Work =
  | { readonly do: 'nothing' }
  | {
      readonly do: 'choose';
      readonly conditions: readonly (Exit & { readonly condition?: Query })[];
      readonly otherwise: Exit;
    }
  | { readonly do: 'validate'; readonly schema: unknown; readonly subject?: Query }
  | { readonly do: 'raise'; readonly error: string; readonly message: Query; readonly args: readonly Query[] }
  | { readonly do: 'read'; readonly variables: readonly ReadVariable[] }
  | { readonly do: 'write'; readonly variables: readonly WriteVariable[] }
  | { readonly do: 'emit'; readonly event: EmittedEvent; readonly delay?: 'immediate' | Duration }
  | { readonly do: 'sleep'; readonly duration: Duration }
  | { readonly do: 'call'; readonly action: ActionPlan; readonly async: boolean; readonly timeout?: Duration }
  | { readonly do: 'each'; readonly array: Query; readonly action: ActionPlan; readonly timeout?: Duration }
  | {
      readonly do: 'all';
      readonly actions: readonly ActionPlan[];
      readonly mode: 'and' | 'or';
      readonly timeout?: Duration;
    }
  | {
      readonly do: 'listen';
      readonly mode: 'one' | 'all';
      readonly events: readonly EventFilter[];
      readonly timeout?: Duration;
    }
  | {
      readonly do: 'listen-any';
      readonly events: readonly (Exit & { readonly event: EventFilter })[];
      readonly timeout?: Duration;
    };

export interface ReadVariable {
  readonly key: Query;
  readonly scope: Scope;
  readonly as?: string;
}

export interface WriteVariable {
  readonly key: Query;
  readonly scope: Scope;
  readonly value?: Query;
  /** As written; decides how the value becomes bytes. It is also a query whose result is the stored type. */
  readonly mimeType?: string;
}

export interface EmittedEvent {
  readonly type: string;
  readonly source: string;
  readonly data?: Query;
  readonly datacontenttype?: string;
  readonly context: Readonly<Record<string, Query>>;
}

export interface ActionPlan {
  readonly function: string;
  readonly input?: Query;
  readonly secrets: readonly string[];
  readonly retries?: {
    readonly maxAttempts: number;
    readonly delay?: Duration;
    readonly multiplier: number;
    readonly codes: readonly string[];
  };
  readonly files: readonly {
    readonly key: Query;
    readonly as?: Query;
    readonly scope?: Query;
    readonly type?: Query;
  }[];
}
