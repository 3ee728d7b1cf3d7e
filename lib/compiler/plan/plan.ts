import type { BatchPlan, CallLimits, FlowControl, ScheduledStart } from './concurrency.ts';
import type { Handlers } from './handlers.ts';
import type { MailFunctionPlan } from './mails.ts';
import type { RunTimes } from './run-times.ts';
import type { SubflowPlan } from './subflows.ts';
import type { WebhookStart } from './webhooks.ts';
import type { WorkerTaskPlan } from './worker-tasks.ts';

/**
 * The plan: the meaning of a workflow as immutable JSON data. It is stored with the revision, so its shape is only extended.
 * The engine reads nothing else of a workflow; `emit` makes the state machine of it. A `Query` is evaluated at run time.
 */
/** The version of the plan's shape, stored with it. */
export const PLAN_VERSION = 1;

/** A structured query: any JSON value whose strings may contain jq(...) and js(...). Absent, it is the whole data. */
export type Query = unknown;

/** An ISO 8601 duration, as written, for example PT5S. */
export type Duration = string;

/** The plan of a workflow. */
export interface Plan extends FlowControl, RunTimes {
  readonly version: typeof PLAN_VERSION;
  readonly start: Start;
  /** The id of the first state. */
  readonly entry: string;
  /** The states that a run enters before it ends; absent: none. */
  readonly handlers?: Handlers;
  /** The labels of a run: names and queries, evaluated over the input. */
  readonly labels?: Readonly<Record<string, Query>>;
  /** The extent of the record of a run; absent: that of the namespace. */
  readonly record?: 'full' | 'flow' | 'none';
  /** The limits of a run; of two limits, that of the namespace and this one, the lower applies. */
  readonly limits?: { readonly transitions?: number | undefined; readonly logBytes?: number | undefined };
  /** The JSON Schemas of the data with which a run begins, and with which it ends. */
  readonly input?: unknown;
  readonly output?: unknown;
  /** The event that cancels a run; its context is evaluated over the input. */
  readonly cancelOn?: EventFilter;
  readonly functions: Readonly<Record<string, FunctionPlan>>;
  readonly states: Readonly<Record<string, StatePlan>>;
}

/** How runs of the workflow are started (workflow-language 3). */
export type Start =
  | { readonly type: 'default' }
  | ScheduledStart
  | WebhookStart
  | {
      readonly type: 'event' | 'eventsXor' | 'eventsAnd';
      readonly events: readonly EventFilter[];
      readonly lifespan?: Duration;
      readonly batch?: BatchPlan;
    };

/** A filter of events. The values of the context are literal in a start and queries in a state (workflow-language 3). */
export interface EventFilter {
  readonly type: string;
  readonly context: Readonly<Record<string, Query>>;
}

/** A function that actions can call (workflow-language 2). */
export type FunctionPlan = { readonly limits?: CallLimits } & (
  | SubflowPlan
  | { readonly type: 'knative-namespace' | 'knative-global'; readonly service: string }
  | {
      readonly type: 'knative-workflow';
      readonly image: string;
      readonly size: 'small' | 'medium' | 'large';
      readonly cmd: string;
      readonly scale: number;
      readonly envs: Readonly<Record<string, string>>;
    }
  | { readonly type: 'http'; readonly request: HttpRequestPlan; readonly auth?: HttpAuthPlan }
  | { readonly type: 'worker'; readonly task: WorkerTaskPlan }
  | { readonly type: 'lambda'; readonly invocation: LambdaPlan }
  | MailFunctionPlan
);

/** The invocation of a lambda function, evaluated as one query over the data of the action (docs/lambda.md). */
export interface LambdaPlan {
  /** A name or an ARN; `qualifier` is an alias or a version. */
  readonly function: Query;
  readonly qualifier?: Query;
  /** An ISO 8601 duration. */
  readonly timeout?: Query;
}

/** The request of an http function, evaluated as one query over the data of the action (docs/http.md). */
export interface HttpRequestPlan {
  readonly url: Query;
  readonly method?: Query;
  readonly headers?: Query;
  readonly query?: Query;
  readonly body?: Query;
  /** An ISO 8601 duration. */
  readonly timeout?: Query;
  /** The statuses that are a success: numbers, and texts such as `2xx`. */
  readonly expect?: Query;
  readonly redirects?: Query;
  readonly insecure?: Query;
}

/** The credentials of an http function. Secrets are named, not queried: they do not enter the data. */
export type HttpAuthPlan =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly user: Query; readonly password: string }
  | { readonly kind: 'apiKey'; readonly secret: string; readonly header?: string; readonly query?: string }
  | {
      readonly kind: 'oauth2';
      readonly tokenUrl: Query;
      readonly clientId: Query;
      readonly clientSecret: string;
      readonly scope?: Query;
    }
  | {
      readonly kind: 'sigv4';
      readonly service: string;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

/** The types of states (workflow-language 10). */
export type StateType =
  | 'noop'
  | 'delay'
  | 'action'
  | 'foreach'
  | 'parallel'
  | 'switch'
  | 'error'
  | 'validate'
  | 'getter'
  | 'setter'
  | 'consumeEvent'
  | 'eventsAnd'
  | 'eventsXor'
  | 'generateEvent'
  | 'approval';

/** A state: its work, and the fields of every state. */
export interface StatePlan {
  readonly id: string;
  readonly type: StateType;
  /** Absent: the state logs no line. */
  readonly log?: Query;
  readonly metadata?: Query;
  /** Those of the state, then those of the workflow. */
  readonly catch: readonly CatchPlan[];
  /** The states of the workflow's handlers that may follow a failure without a catch, or the end; absent: none. */
  readonly handlers?: readonly string[];
  readonly work: Work;
  /** The exit after a success, unless the work chooses an exit of its own. */
  readonly exit: Exit;
}

/** An entry of a catch list (workflow-language 7.2). */
export interface CatchPlan {
  /** An RE2 regular expression, unanchored, or `*`. */
  readonly error: string;
  readonly transition?: string;
}

/** How a state is left: transform the data, then continue with a state; without a transition, end the run. */
export interface Exit {
  readonly transform?: Query;
  readonly transition?: string;
}

/** The scopes of variables (workflow-language 12). */
export type Scope = 'instance' | 'workflow' | 'namespace' | 'thread' | 'system' | 'file';

/** The work that the engine does when a state runs. Several types of states may have the same kind of work. */
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
  | {
      readonly do: 'each';
      readonly array: Query;
      readonly action: ActionPlan;
      /** How many calls are in progress at once, at most; absent: as many as the service can make. */
      readonly width?: number;
      /** A failed call does not fail the state: failures are listed beside the results. */
      readonly collect?: 'errors';
      readonly timeout?: Duration;
    }
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
    }
  | ApproveWork;

/** The work of a state that waits for a decision (docs/states/approval.md). */
export interface ApproveWork {
  readonly do: 'approve';
  readonly subject: Query;
  readonly text?: Query;
  readonly assignees?: Query;
  /** The exits by the names of the choices. */
  readonly choices: readonly (Exit & { readonly name: string })[];
  /** The JSON Schema of the form. */
  readonly form?: unknown;
  readonly notify?: ActionPlan;
  /** In the order of their times. */
  readonly reminders: readonly ReminderPlan[];
  readonly timeout?: Duration;
}

/** A reminder of an approval that is still open: a call whose result is not waited for, or an event. */
export interface ReminderPlan {
  /** From the begin of the approval. */
  readonly after: Duration;
  readonly action?: ActionPlan;
  readonly event?: EmittedEvent;
}

/** The kinds of work. */
export type WorkKind = Work['do'];

/** The work of one kind. */
export type WorkOf<K extends WorkKind> = Extract<Work, { readonly do: K }>;

/** A variable that a getter reads. */
export interface ReadVariable {
  readonly key: Query;
  readonly scope: Scope;
  readonly as?: string;
}

/** A variable that a setter stores. */
export interface WriteVariable {
  readonly key: Query;
  readonly scope: Scope;
  readonly value?: Query;
  /** As written, it determines how the value is converted to bytes; as a query, its result is the media type stored. */
  readonly mimeType?: string;
}

/** The event that generateEvent sends. */
export interface EmittedEvent {
  readonly type: string;
  readonly source: string;
  readonly data?: Query;
  readonly datacontenttype?: string;
  readonly context: Readonly<Record<string, Query>>;
}

/** A call of a function (workflow-language 2.1). */
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
    readonly permissions?: Query;
  }[];
}
