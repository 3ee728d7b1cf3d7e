import type { Ports } from '../../ports/ports.ts';
import type { TableName } from '../../ports/table.ts';

/** A group of routes: one file of rows, one file of endpoints, one set of ports. */
export interface Family {
  readonly about: string;
  /** The ports that its endpoints use. The rights of its Lambda follow from them. */
  readonly needs: readonly (keyof Ports)[];
  /** The tables that its endpoints change, among them the journal with the audit log; absent: all. */
  readonly writes?: readonly TableName[];
}

/** The ports of endpoints that execute states: a start, an event or the end of a task runs them where it arrives. */
const RUNNER_NEEDS = [
  'table',
  'blobs',
  'sealer',
  'externalSecrets',
  'web',
  'lambdas',
  'executions',
  'bus',
  'schedules',
  'containers',
  'clock',
] as const satisfies readonly (keyof Ports)[];

export const families = {
  namespaces: {
    about: 'Namespaces and the events they broadcast about themselves',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'containers', 'clock'],
  },
  tree: {
    about: 'Directories, workflows and their revisions',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'containers', 'clock'],
  },
  execution: {
    about: 'Starting a workflow, with or without waiting for its output',
    needs: RUNNER_NEEDS,
  },
  instances: {
    about: 'Runs of workflows: state, input, output, cancelling',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'containers', 'clock'],
  },
  workers: {
    about: 'Tasks for workers: fetching, ending, queues',
    needs: RUNNER_NEEDS,
  },
  variables: {
    about: 'Variables of namespaces, workflows and instances',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'clock'],
  },
  secrets: {
    about: 'Secrets of a namespace',
    needs: ['table', 'sealer', 'settings'],
    writes: ['catalog', 'journal'],
  },
  registries: {
    about: 'Credentials of container registries',
    needs: ['table', 'sealer', 'web', 'clock'],
    writes: ['catalog', 'journal'],
  },
  services: {
    about: 'Container services: global, of a namespace, of a workflow',
    needs: ['table', 'sealer', 'containers', 'clock'],
  },
  logs: {
    about: 'Log lines of the server, of namespaces, workflows and instances',
    needs: ['table', 'blobs', 'clock'],
    writes: ['journal'],
  },
  metrics: {
    about: 'Counts and durations of runs',
    needs: ['table', 'clock'],
    writes: ['journal'],
  },
  events: {
    about: 'Cloud events: sending, history, listeners, filters',
    needs: RUNNER_NEEDS,
  },
  hooks: {
    about: 'Webhooks, whose requests need no API key; approvals, decided by links or with a key',
    needs: RUNNER_NEEDS,
  },
  system: {
    about: 'Version, jq playground, description of this API',
    needs: [],
    writes: ['journal'],
  },
  keys: {
    about: 'API keys',
    needs: ['table', 'clock'],
    writes: ['catalog', 'journal'],
  },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof families;

/**
 * The families without a Lambda of their own, with the one that serves them. All routes of `execution` are below the path
 * of a node.
 */
export const HOSTS = { execution: 'tree', hooks: 'events' } as const satisfies Partial<Record<FamilyName, FamilyName>>;

/** The families with a Lambda of their own. */
export type LambdaName = Exclude<FamilyName, keyof typeof HOSTS>;

/** The ports that every Lambda needs: each request looks up its key and checks whether it has expired. */
export const COMMON_NEEDS = ['table', 'vault', 'clock'] as const satisfies readonly (keyof Ports)[];

/** The ports that a Lambda with event streams needs. */
export const STREAM_NEEDS = ['changes', 'settings'] as const satisfies readonly (keyof Ports)[];
