import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import { jsonWith, plainError, type RawReply, untrusted } from '../../../lib/api/http/reply.ts';
import { isOn, timeAt } from '../../../lib/api/http/request.ts';
import type { IdsOf } from '../../../lib/api/registry/routes/index.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { needIdempotencyKey } from '../../../lib/domain/instances/idempotency-keys.ts';
import { outputOf } from '../../../lib/domain/instances/instances.ts';
import { type OutputRequest, render, toOutputRequest } from '../../../lib/domain/instances/outputs.ts';
import { toFailure } from '../../../lib/domain/instances/timeline.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { isTraceparent } from '../../../lib/domain/runs/spans.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import type { Invocation } from '../../../lib/engine/requests/start/invocations.ts';
import { execute, executeAndWait, type Started } from '../../../lib/engine/requests/start/start.ts';
import { type Labels, labelNameProblem, labelValueProblem, MAX_LABELS } from '../../../lib/language/labels.ts';

type Waiting = Call<'waitWorkflow'> | Call<'waitWorkflowWithBody'>;

const INPUT = 'input.';

/** The input: the body, else an object of the `input.` query parameters (rest-api reference, 6.3). */
function inputOf({ body, query }: Waiting): Uint8Array {
  if (body.length > 0) return body;
  const fields = Object.entries(query).filter(([name]) => name.startsWith(INPUT));
  const values = fields.map(([name, all]) => [name.slice(INPUT.length), all.length === 1 ? all[0] : all]);
  return Buffer.from(JSON.stringify(Object.fromEntries(values)));
}

const LABEL = 'label.';

/** The labels of the `label.` query parameters. Throws `malformed`. */
function labelsOf({ query }: Pick<Call<'executeWorkflow'>, 'query'>): { readonly labels?: Labels } {
  const given = Object.entries(query).filter(([name]) => name.startsWith(LABEL));
  if (given.length === 0) return {};
  const labels = given.map(([name, [value = '']]) => [name.slice(LABEL.length), value] as const);
  const problem =
    labels.length > MAX_LABELS
      ? `a run has at most ${MAX_LABELS} labels`
      : labels.map(([name, value]) => labelNameProblem(name) ?? labelValueProblem(name, value)).find((text) => text);
  if (problem !== undefined) throw new ServiceError('malformed', problem);
  return { labels: Object.fromEntries(labels) };
}

function invocationOf(call: Pick<Call<'executeWorkflow'>, 'path' | 'query' | 'headers' | 'body'>): Invocation {
  const { path, query, headers, body } = call;
  const { traceparent = '', 'idempotency-key': key = '' } = headers;
  return {
    namespace: path.namespace,
    path: path.node,
    ref: query['ref']?.[0] ?? '',
    input: body,
    ...labelsOf(call),
    ...(isTraceparent(traceparent) ? { trace: traceparent } : {}),
    ...(key === '' ? {} : { key: needIdempotencyKey(key) }),
  };
}

const existingHeader = ({ existing }: Started): Record<string, string> => (existing ? { existing: 'true' } : {});

function outputRequestOf({ query }: Waiting): OutputRequest {
  const field = query['field']?.[0];
  const type = query['ctype']?.[0];
  return toOutputRequest({
    isRaw: isOn(query, 'raw-output'),
    ...(field === undefined || field === '' ? {} : { field }),
    ...(type === undefined || type === '' ? {} : { type }),
  });
}

const MAX_HEADER_LENGTH = 1024;

/** A text as a header may hold it: one line of visible ASCII. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, ' ').slice(0, MAX_HEADER_LENGTH);

/** A header under its present name and under the one that older clients read. */
function named(name: string, value: string): Record<string, string> {
  return { [`Service-Instance-${name}`]: headerText(value), [`Direktiv-Instance-${name}`]: headerText(value) };
}

/** Whether the request accepts JSON and no plain text. */
function prefersJson({ headers }: Waiting): boolean {
  const { accept = '' } = headers;
  return /\bapplication\/json\b/i.test(accept) && !/\btext\//i.test(accept);
}

/** The description of a failed run. */
interface FailedRun {
  readonly run: Run;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * The reply for a run that failed: a text, as the original has it (rest-api reference, 6.3). A request that prefers
 * JSON gets the failure with its details, except under the brand `direktiv`.
 */
async function failureReply(ports: RunnerPorts, call: Waiting, { run, headers, text }: FailedRun): Promise<RawReply> {
  if (ports.settings.brand === 'direktiv' || !prefersJson(call)) return plainError(500, text, headers);
  const error = (await toFailure(ports, run)) ?? { code: run.code, message: run.message };
  const body = { code: 500, message: text, Error: text, StatusCode: 500, instance: run.id, error };
  return jsonWith(body, headers, 500);
}

/** The reply for a run that failed or crashed; undefined for another one. */
function failedRun(run: Run, id: Readonly<Record<string, string>>): FailedRun | undefined {
  if (run.status === 'crashed') {
    return { run, headers: id, text: `An internal error occurred executing instance: ${run.id}` };
  }
  if (run.status !== 'failed') return undefined;
  const headers = { ...id, ...named('Error-Code', run.code), ...named('Error-Message', run.message) };
  return { run, headers, text: `An error occurred executing instance ${run.id}: ${run.code}: ${run.message}` };
}

function outputReply(run: Run, wanted: OutputRequest, id: Readonly<Record<string, string>>): RawReply {
  const { bytes, type } = render(outputOf(run) ?? {}, wanted);
  return untrusted(bytes, type, { ...id, 'Content-Length': String(bytes.length) });
}

/** Runs the workflow; the query is checked before. */
async function wait(ports: RunnerPorts, call: Waiting): Promise<RawReply> {
  const wanted = outputRequestOf(call);
  const invocation = { ...invocationOf(call), input: inputOf(call) };
  const started = await executeAndWait(ports, invocation, call.deadline);
  const { run } = started;
  const id = { ...named('Id', run.id), ...existingHeader(started) };
  if (run.status === 'pending') {
    const again = 'send the request again with the same Idempotency-Key, or read the instance';
    return plainError(504, `instance ${run.id} has not ended yet and continues; to get its output, ${again}`, id);
  }
  const failed = failedRun(run, id);
  return failed === undefined ? outputReply(run, wanted, id) : failureReply(ports, call, failed);
}

export const endpoints: EndpointsOf<IdsOf<'execution'>> = {
  executeWorkflow: async (ports, call) => {
    const planned = timeAt(call.query, 'scheduled');
    const started = await execute(ports, { ...invocationOf(call), ...(planned === undefined ? {} : { planned }) });
    const { namespace, id: instance } = started.run;
    return jsonWith({ namespace, instance }, existingHeader(started));
  },
  waitWorkflow: wait,
  waitWorkflowWithBody: wait,
};
