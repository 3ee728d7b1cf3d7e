import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import { jsonWith, plainError, type RawReply, untrusted } from '../../../lib/api/http/reply.ts';
import { isOn } from '../../../lib/api/http/request.ts';
import type { IdsOf } from '../../../lib/api/registry/routes/index.ts';
import { needIdempotencyKey } from '../../../lib/domain/instances/idempotency-keys.ts';
import { outputOf } from '../../../lib/domain/instances/instances.ts';
import { type OutputRequest, render, toOutputRequest } from '../../../lib/domain/runs/outputs.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import type { Invocation } from '../../../lib/engine/start/invocations.ts';
import { execute, executeAndWait, type Started } from '../../../lib/engine/start/start.ts';

type Waiting = Call<'waitWorkflow'> | Call<'waitWorkflowWithBody'>;

const INPUT = 'input.';

/** The input: the body, else an object of the `input.` query parameters (rest-api reference, 6.3). */
function inputOf({ body, query }: Waiting): Uint8Array {
  if (body.length > 0) return body;
  const fields = Object.entries(query).filter(([name]) => name.startsWith(INPUT));
  const values = fields.map(([name, all]) => [name.slice(INPUT.length), all.length === 1 ? all[0] : all]);
  return Buffer.from(JSON.stringify(Object.fromEntries(values)));
}

function invocationOf(call: Pick<Call<'executeWorkflow'>, 'path' | 'query' | 'headers' | 'body'>): Invocation {
  const { path, query, headers, body } = call;
  const key = headers['idempotency-key'] ?? '';
  return {
    namespace: path.namespace,
    path: path.node,
    ref: query['ref']?.[0] ?? '',
    input: body,
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

function outcomeReply(started: Started, wanted: OutputRequest): RawReply {
  const { run } = started;
  const id = { ...named('Id', run.id), ...existingHeader(started) };
  if (run.status === 'pending') {
    const again = 'send the request again with the same Idempotency-Key, or read the instance';
    return plainError(504, `instance ${run.id} has not ended yet and continues; to get its output, ${again}`, id);
  }
  if (run.status === 'crashed') {
    return plainError(500, `An internal error occurred executing instance: ${run.id}`, id);
  }
  if (run.status === 'failed') {
    const text = `An error occurred executing instance ${run.id}: ${run.code}: ${run.message}`;
    return plainError(500, text, { ...id, ...named('Error-Code', run.code), ...named('Error-Message', run.message) });
  }
  const { bytes, type } = render(outputOf(run) ?? {}, wanted);
  return untrusted(bytes, type, { ...id, 'Content-Length': String(bytes.length) });
}

/** The query is checked before anything runs. */
async function wait(ports: RunnerPorts, call: Waiting): Promise<RawReply> {
  const wanted = outputRequestOf(call);
  const invocation = { ...invocationOf(call), input: inputOf(call) };
  return outcomeReply(await executeAndWait(ports, invocation, call.deadline), wanted);
}

export const endpoints: EndpointsOf<IdsOf<'execution'>> = {
  executeWorkflow: async (ports, call) => {
    const started = await execute(ports, invocationOf(call));
    const { namespace, id: instance } = started.run;
    return jsonWith({ namespace, instance }, existingHeader(started));
  },
  waitWorkflow: wait,
  waitWorkflowWithBody: wait,
};
