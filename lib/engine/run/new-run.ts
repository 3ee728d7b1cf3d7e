import { ServiceError } from '../../domain/errors.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import type * as runs from '../../domain/runs/runs.ts';
import type { Told } from '../../domain/runs/waits.ts';
import type { WorkflowNode } from '../../domain/tree/nodes.ts';
import type { Opened } from '../../domain/tree/workflows.ts';
import { isObject } from '../../language/json.ts';
import { dataProblem } from '../evaluation/bounds.ts';
import type { EnginePorts } from '../ports.ts';
import { Draft } from './unit-of-work.ts';

function parse(input: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input));
    return isObject(value) ? value : { input: value };
  } catch {
    return { input: Buffer.from(input).toString('base64') };
  }
}

/**
 * The instance data of an input (rest-api reference, 6.1): an object as it is, else under the key `input`. Throws
 * `malformed` for one that cannot be a run's data.
 */
function toData(input: Uint8Array): Record<string, unknown> {
  const data = parse(input);
  const problem = dataProblem(data);
  if (problem === undefined) return data;
  throw new ServiceError('malformed', `the input is ${problem}; send less of it`);
}

/** What a run needs to know of its namespace and workflow to the end. */
function toldOf(namespace: Namespace, node: WorkflowNode): Told {
  const broadcasts = namespace.broadcasts.filter((key) => key.startsWith('instance.'));
  return { lookback: namespace.lookback, broadcasts, logger: node.logger };
}

type Owned =
  | 'id'
  | 'namespaceId'
  | 'namespace'
  | 'workflowId'
  | 'path'
  | 'revision'
  | 'as'
  | 'invoker'
  | 'data'
  | 'input';

/** A run of which nothing has happened yet; whose it is and what it begins with is not said here. */
export function blankRun(now: number): Omit<runs.Run, Owned> {
  return {
    status: 'pending',
    code: '',
    message: '',
    created: now,
    updated: now,
    seq: 0,
    at: '',
    step: 0,
    flow: [],
    interrupted: false,
    metadata: '',
    tail: [],
    flushed: 0,
    lastLine: 0,
    machine: '',
    executions: 0,
    events: 0,
    brief: false,
    began: now,
    pauses: 0,
    heard: [],
    depth: 0,
    threads: {},
    outbox: [],
    told: { lookback: 0, broadcasts: [], logger: '' },
    tally: [],
  };
}

/** A run of the workflow with its first log line, not stored yet. Throws `malformed` for input that cannot be its data. */
export function newRun(
  ports: EnginePorts,
  { namespace, node, revision }: Opened,
  input: Uint8Array,
  invoker: string,
): runs.Run {
  const run: runs.Run = {
    ...blankRun(ports.clock.now()),
    id: ports.clock.uuid(),
    namespaceId: namespace.id,
    namespace: namespace.name,
    workflowId: node.id,
    path: node.path,
    revision: revision.id,
    as: node.path,
    invoker,
    at: revision.plan?.entry ?? '',
    data: toData(input),
    input,
    told: toldOf(namespace, node),
  };
  const draft = new Draft(ports, run);
  draft.log(`Preparing workflow triggered by ${invoker}.`, 'info', '');
  return { ...run, ...draft.opening };
}
