import { MINUTE_MS } from '../time/units.ts';
import type { CloudEvent } from './cloud-event.ts';

/** The subject of an event about a workflow. */
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

/**
 * The subjects of broadcast events, which report changes in a namespace, by their types. A type is also the key of a
 * setting of the namespace (specification, Namespace config body).
 */
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
  /** `caller`: `api`, `cron`, `cloudevent`, or `instance:<id>`. */
  readonly 'instance.started': InstanceFacts & { readonly caller: string };
  readonly 'instance.success': InstanceFacts;
  readonly 'instance.failed': InstanceFacts;
  /** Weft's own: a run takes longer than its workflow expects. */
  readonly 'instance.late': InstanceFacts;
}

export type BroadcastKind = keyof BroadcastFacts;

type Data = Readonly<Record<string, unknown>>;

const pathMembers = (path: string): Data => ({ Path: path, Parent: path.slice(0, path.lastIndexOf('/') + 1) || '/' });

const workflow = ({ path, live }: WorkflowFacts): Data => ({
  Name: path.slice(path.lastIndexOf('/') + 1),
  ...pathMembers(path),
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

/** The payload of each kind (rest-api 4.7); clients of the original know the names of its members. */
const DATA: { readonly [Kind in BroadcastKind]: (facts: BroadcastFacts[Kind]) => Data } = {
  'workflow.create': workflow,
  'workflow.update': workflow,
  'workflow.delete': ({ path }) => workflow({ path, live: false }),
  'directory.create': ({ path }) => pathMembers(path),
  'directory.delete': ({ path }) => pathMembers(path),
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
  'instance.late': instance,
};

/** All kinds of broadcast events, sorted. */
export const BROADCAST_KINDS = Object.keys(DATA).sort() as readonly BroadcastKind[];

/** The kinds that the original does not know: a client of it sees them only where they are switched on. */
export const OWN_BROADCAST_KINDS: ReadonlySet<BroadcastKind> = new Set(['instance.late']);

/** The delay of a broadcast event, from its recording to its delivery to listeners (rest-api 4.7). */
export const BROADCAST_DELAY_MS = MINUTE_MS;

/** Returns a broadcast event; its source is the brand (rest-api 4.7). */
export function broadcastEvent<Kind extends BroadcastKind>(
  kind: Kind,
  facts: BroadcastFacts[Kind],
  { id, source }: { readonly id: string; readonly source: string },
): CloudEvent {
  return { specversion: '0.3', id, source, type: kind, datacontenttype: 'application/json', data: DATA[kind](facts) };
}

/** Returns the event about the `log` field of a state, in a workflow with a logger (rest-api 5.9). It has no delay. */
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
