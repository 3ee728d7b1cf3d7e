import type { CloudEvent } from './cloud-event.ts';

/** What a workflow's event is about. */
interface WorkflowFacts {
  /** From the root, with a leading slash: `/a/wf.yaml`. */
  readonly path: string;
  readonly live: boolean;
}

interface DirectoryFacts {
  readonly path: string;
}

interface VariableFacts {
  readonly key: string;
  /** Bytes of the value. */
  readonly size: number;
}

interface InstanceFacts {
  /** The path as invoked. */
  readonly workflowPath: string;
  readonly instanceId: string;
}

/** What each event that a namespace tells of itself is about, by its type, which is also its key in the configuration. */
export interface BroadcastFacts {
  readonly 'workflow.create': WorkflowFacts;
  readonly 'workflow.update': WorkflowFacts;
  readonly 'workflow.delete': { readonly path: string };
  readonly 'directory.create': DirectoryFacts;
  readonly 'directory.delete': DirectoryFacts;
  readonly 'namespace.variable.create': VariableFacts;
  readonly 'namespace.variable.update': VariableFacts;
  readonly 'namespace.variable.delete': VariableFacts;
  readonly 'workflow.variable.create': VariableFacts & { readonly workflowPath: string };
  readonly 'workflow.variable.update': VariableFacts & { readonly workflowPath: string };
  readonly 'workflow.variable.delete': VariableFacts & { readonly workflowPath: string };
  readonly 'instance.variable.create': VariableFacts & { readonly instanceId: string };
  readonly 'instance.variable.update': VariableFacts & { readonly instanceId: string };
  readonly 'instance.variable.delete': VariableFacts & { readonly instanceId: string };
  /** `caller` is who started it: `api`, `cron`, `cloudevent`, `instance:<id>`. */
  readonly 'instance.started': InstanceFacts & { readonly caller: string };
  readonly 'instance.success': InstanceFacts;
  readonly 'instance.failed': InstanceFacts;
}

export type BroadcastKind = keyof BroadcastFacts;

type Data = Readonly<Record<string, unknown>>;

const placeOf = (path: string): Data => ({ Path: path, Parent: path.slice(0, path.lastIndexOf('/') + 1) || '/' });

const workflow = ({ path, live }: WorkflowFacts): Data => ({
  Name: path.slice(path.lastIndexOf('/') + 1),
  ...placeOf(path),
  Live: live,
});

const variable =
  (scope: string) =>
  ({
    key,
    size,
    ...owner
  }: VariableFacts & { readonly workflowPath?: string; readonly instanceId?: string }): Data => ({
    WorkflowPath: owner.workflowPath ?? '',
    InstanceID: owner.instanceId ?? '',
    Key: key,
    TotalSize: size,
    Scope: scope,
  });

const instance = ({ workflowPath, instanceId, caller = '' }: InstanceFacts & { readonly caller?: string }): Data => ({
  WorkflowPath: workflowPath,
  InstanceID: instanceId,
  Caller: caller,
});

/** The payload of each kind (rest-api 4.7), with the names that clients of the original know. */
const DATA: { readonly [Kind in BroadcastKind]: (facts: BroadcastFacts[Kind]) => Data } = {
  'workflow.create': workflow,
  'workflow.update': workflow,
  'workflow.delete': ({ path }) => workflow({ path, live: false }),
  'directory.create': ({ path }) => placeOf(path),
  'directory.delete': ({ path }) => placeOf(path),
  'namespace.variable.create': variable('namespace'),
  'namespace.variable.update': variable('namespace'),
  'namespace.variable.delete': variable('namespace'),
  'workflow.variable.create': variable('workflow'),
  'workflow.variable.update': variable('workflow'),
  'workflow.variable.delete': variable('workflow'),
  'instance.variable.create': variable('instance'),
  'instance.variable.update': variable('instance'),
  'instance.variable.delete': variable('instance'),
  'instance.started': instance,
  'instance.success': instance,
  'instance.failed': instance,
};

/** Milliseconds between the recording of a broadcast event and its delivery to listeners (rest-api 4.7). */
export const BROADCAST_DELAY = 60_000;

/** The event by which a namespace tells what happened in it; the source is the brand (rest-api 4.7). */
export function broadcastEvent<Kind extends BroadcastKind>(
  kind: Kind,
  facts: BroadcastFacts[Kind],
  { id, source }: { readonly id: string; readonly source: string },
): CloudEvent {
  return { specversion: '0.3', id, source, type: kind, datacontenttype: 'application/json', data: DATA[kind](facts) };
}

/** The event that the `log` field of a state sends where the workflow has a logger (rest-api 5.9); undelayed. */
export function instanceLogEvent(log: {
  readonly id: string;
  readonly workflowId: string;
  /** The evaluated `log` expression as indented JSON. */
  readonly text: string;
  readonly logger: string;
  readonly brand: string;
}): CloudEvent {
  return {
    specversion: '1.0',
    id: log.id,
    source: log.workflowId,
    type: `${log.brand}.instanceLog`,
    datacontenttype: 'application/json',
    data: log.text,
    logger: log.logger,
  };
}
