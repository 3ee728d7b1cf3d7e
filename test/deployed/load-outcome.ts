import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Json, rowsOf } from '../service/access/client.ts';
import { LOADED, type Load, type LoadReport } from './load.ts';

const POLL_MS = 2000;
const MAX_ROWS = 1000;

async function read(client: Client, path: string): Promise<Json> {
  const answer = await client.call('GET', path);
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
  return answer.json();
}

const runsOf = async (client: Client, namespace: string): Promise<readonly Json[]> =>
  rowsOf((await read(client, `/api/namespaces/${namespace}/instances?limit=${MAX_ROWS}`))['instances']?.['results']);

async function outputOf(client: Client, namespace: string, id: string): Promise<Json> {
  const { data } = await read(client, `/api/namespaces/${namespace}/instances/${id}/output`);
  return JSON.parse(Buffer.from(String(data), 'base64').toString()) as Json;
}

/** The name of the workflow that a run was invoked as: `/quick:latest` is `quick`. */
const nameOf = (as: string): string => as.replace(/^\//, '').replace(/:.*$/, '');

/** Creates the namespace and the workflows of a load. */
export async function prepareLoad(client: Client, namespace: string): Promise<void> {
  const created = await client.call('PUT', `/api/namespaces/${namespace}`);
  if (created.status !== 200) throw new Error(`PUT ${namespace}: ${created.status} ${created.text}`);
  for (const [path, body] of Object.entries(LOADED)) {
    const url = `/api/namespaces/${namespace}/tree/${path}?op=create-workflow`;
    const answer = await client.call('PUT', url, { body });
    if (answer.status !== 200) throw new Error(`PUT ${url}: ${answer.status} ${answer.text}`);
  }
}

/** The runs after all have ended. Throws when some have not after `ms` milliseconds; `poll` is called meanwhile. */
async function endedRuns(
  client: Client,
  namespace: string,
  { accepted, ms, poll }: { readonly accepted: number; readonly ms: number; readonly poll: () => Promise<void> },
): Promise<readonly Json[]> {
  for (const end = performance.now() + ms; ; await sleep(POLL_MS)) {
    const rows = await runsOf(client, namespace);
    const pending = rows.filter(({ status }) => String(status) === 'pending').length;
    if (rows.length >= accepted && pending === 0) return rows;
    if (performance.now() > end)
      throw new Error(`of ${accepted} runs, ${rows.length} exist and ${pending} are pending`);
    await poll();
  }
}

/**
 * Ends the waits of a load that has stopped, and compares what the service has with what it acknowledged. Returns each
 * difference as a text. Throws when runs do not end within `ms` milliseconds; `poll` is called while they are awaited.
 */
export async function differencesOf(
  client: Client,
  namespace: string,
  load: Pick<Load, 'release'>,
  { report, ms, poll }: { readonly report: LoadReport; readonly ms: number; readonly poll: () => Promise<void> },
): Promise<string[]> {
  const { counts, ids, variables } = report;
  for (let n = 0; n < counts.waiting; n += 1) await load.release(n);
  const accepted = Object.values(counts).reduce((sum, count) => sum + count);
  const rows = await endedRuns(client, namespace, { accepted, ms, poll });
  const idsOf = (workflow: string) =>
    rows.filter((row) => nameOf(String(row['as'])) === workflow).map(({ id }) => String(id));
  const differences = rows
    .filter(({ status }) => String(status) !== 'complete')
    .map(({ id, as, status }) => `the run ${id} of ${as} is ${status}`);
  const compare = (name: string, found: unknown, acknowledged: unknown) => {
    const [is, was] = [JSON.stringify(found), JSON.stringify(acknowledged)];
    if (is !== was) differences.push(`${name}: ${is} instead of ${was}`);
  };
  for (const [workflow, count] of Object.entries(counts)) compare(`runs of ${workflow}`, idsOf(workflow).length, count);
  for (const [workflow, known] of Object.entries(ids)) {
    compare(`the ids of ${workflow}`, idsOf(workflow).toSorted(), known.toSorted());
    for (const [n, id] of known.entries()) compare(`the output of ${id}`, await outputOf(client, namespace, id), { n });
  }
  const noticed = await Promise.all(idsOf('noticed').map((id) => outputOf(client, namespace, id)));
  const numbers = noticed.map(({ n }) => Number(n)).sort((a, b) => a - b);
  compare('the events of noticed', numbers, [...numbers.keys()]);
  for (const [name, value] of Object.entries(variables)) {
    const { text } = await client.call('GET', `/api/namespaces/${namespace}/vars/${name}`);
    compare(`the variable ${name}`, text, value);
  }
  return differences;
}
