import type { Ports } from '../../ports/ports.ts';

/** Endpoints that belong together: one file of rows, one file of endpoints, one set of grants. */
export interface Family {
  readonly about: string;
  /** The ports its endpoints use; what a Lambda may touch follows from it. */
  readonly needs: readonly (keyof Ports)[];
}

export const families = {
  namespaces: {
    about: 'Namespaces and the events they broadcast about themselves',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'containers', 'changes', 'clock'],
  },
  tree: {
    about: 'Directories, workflows and their revisions',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'containers', 'changes', 'clock'],
  },
  execution: {
    about: 'Running a workflow, with or without waiting for its output',
    needs: ['table', 'blobs', 'sealer', 'executions', 'bus', 'schedules', 'containers', 'clock'],
  },
  instances: {
    about: 'Runs of workflows: state, input, output, cancelling',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'containers', 'changes', 'clock'],
  },
  variables: {
    about: 'Variables of namespaces, workflows and instances',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'changes', 'clock'],
  },
  secrets: {
    about: 'Secrets of a namespace',
    needs: ['table', 'sealer', 'changes'],
  },
  registries: {
    about: 'Credentials of container registries',
    needs: ['table', 'sealer', 'web', 'clock'],
  },
  services: {
    about: 'Container services: global, of a namespace, of a workflow',
    needs: ['table', 'sealer', 'containers', 'changes', 'clock'],
  },
  logs: {
    about: 'Log lines of the server, of namespaces, workflows and instances',
    needs: ['table', 'blobs', 'changes', 'clock'],
  },
  metrics: {
    about: 'Counts and durations of runs',
    needs: ['table', 'clock'],
  },
  events: {
    about: 'Cloud events: sending, history, listeners, filters',
    needs: ['table', 'blobs', 'executions', 'bus', 'schedules', 'changes', 'clock'],
  },
  system: {
    about: 'Version, jq playground, description of this interface',
    needs: [],
  },
  keys: {
    about: 'Keys of this interface',
    needs: ['table', 'clock'],
  },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof families;

/** What every Lambda needs beside its families' needs: the way in looks a key up and asks whether it is still valid. */
export const WAY_IN = ['table', 'vault', 'clock'] as const satisfies readonly (keyof Ports)[];
