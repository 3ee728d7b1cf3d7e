import type { CallSite, StoredCallee } from '../../../domain/runs/calls.ts';
import type { Call } from '../../../domain/runs/runs.ts';
import type { RunnerPorts } from '../../ports.ts';
import { blankRun } from '../../run/new-run.ts';
import { idOfCall, type PreparedCall, parentOf } from './callee.ts';

/** The last instant that has a date of four-digit years, milliseconds since 1970. */
const MAX_TIME = Date.UTC(9999, 11, 31);

/** A call of a container, a native function or a worker as a child, not stored yet. It has no workflow. */
export function newCall<C extends StoredCallee>(ports: RunnerPorts, call: PreparedCall, callee: C): Call<C> {
  const { caller, key, input } = call;
  const { run, state, wake, isLoop, origin } = caller;
  const site: CallSite = {
    caller: run.id,
    workflow: { id: run.workflowId, path: run.path },
    state,
    step: run.step,
    ...(isLoop ? { iterator: key.i } : {}),
    until: Math.min(wake, MAX_TIME),
    files: input.files,
    ...(input.limits === undefined ? {} : { limits: input.limits }),
  };
  return {
    ...blankRun(ports.clock.now()),
    kind: 'call',
    id: idOfCall(call),
    namespaceId: run.namespaceId,
    namespace: run.namespace,
    workflowId: '',
    path: run.path,
    revision: '',
    as: run.path,
    invoker: `instance:${run.id}`,
    data: {},
    input: input.input,
    depth: run.depth + 1,
    threads: run.threads,
    parent: parentOf(call),
    callee,
    site,
    updated: origin,
    ...(run.trace === undefined ? {} : { trace: run.trace }),
    // The trace of a caller that is no child itself follows from its id.
    ...(run.root === undefined ? {} : { root: run.root }),
  };
}
