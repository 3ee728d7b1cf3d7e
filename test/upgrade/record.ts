/**
 * `node test/upgrade/record.ts <folder> [killed]`: creates a data folder with waiting runs of this version, as test
 * data for later versions; of a service that was shut down, or of one that was killed. The archive that archive.ts
 * makes of it, `test/upgrade/v<version>-schema-<schema version>.tar.br`, never changes after the release.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../bin/server/service.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { clientOf, rowsOf } from '../service/access/client.ts';
import { CASES, CHILDREN, CONFIG, FAILS, LATER, LEFT, LONG, ROUTED, STARTS } from './workflows.ts';

const [data, isKilled] = process.argv.slice(2);
if (data === undefined) throw new Error('name the folder');
const settings = { port: 0, host: '127.0.0.1', data, apiKey: undefined, brand: 'service' };
const service = await startService({ ...settings, databaseEndpoint: undefined, version: packageVersion() });
const client = clientOf(service.url, service.key, () => service.close());
const HOME = '/api/namespaces/upgrade';

async function done(...args: Parameters<typeof client.call>) {
  const answer = await client.call(...args);
  if (answer.status !== 200) throw new Error(`${args.slice(0, 2).join(' ')}: ${answer.status} ${answer.text}`);
  return answer;
}

const sources: Record<string, string> = { fails: FAILS, later: LATER, routed: ROUTED[0], ...CHILDREN, ...STARTS };
for (const [path, { source }] of Object.entries(CASES)) sources[path] = source;
await done('PUT', HOME);
await done('PATCH', `${HOME}/config`, { json: CONFIG });
for (const [path, body] of Object.entries(sources)) {
  await done('PUT', `${HOME}/tree/${path}?op=create-workflow`, { body });
}
await done('PUT', `${HOME}/vars/greeting`, { body: 'hello' });
await done('PUT', `${HOME}/vars/long`, { body: LONG });
await done('POST', `${HOME}/tree/delay?op=tag&ref=latest&tag=v1`);
await done('POST', `${HOME}/tree/routed?op=tag&ref=latest&tag=v1`);
await done('POST', `${HOME}/tree/routed?op=update-workflow`, { body: ROUTED[1] });
await done('POST', `${HOME}/tree/routed?op=tag&ref=latest&tag=v2`);
await done('POST', `${HOME}/tree/routed?op=edit-router`, { json: { live: true, route: [{ ref: 'v1', weight: 1 }] } });
const structured = { 'Content-Type': 'application/cloudevents+json' };
await done('POST', `${HOME}/broadcast`, { json: LEFT, headers: structured });
await client.call('POST', `${HOME}/tree/fails?op=wait`);
await done('POST', `${HOME}/tree/routed?op=wait`);

const runs: Record<string, string> = {};
for (const [path, { input }] of Object.entries(CASES)) {
  const answer = await done('POST', `${HOME}/tree/${path}?op=execute`, { json: input });
  runs[path] = String(answer.json()['instance']);
}
await done('POST', `${HOME}/tree/later?op=wait`);
await sleep(1000);
const { instances } = (await done('GET', `${HOME}/instances`)).json();
const listed = rowsOf(instances?.['results']).map(({ id, status }) => ({ id, status }));
writeFileSync(join(data, 'recorded.json'), JSON.stringify({ at: Date.now(), runs, listed }));
if (isKilled !== undefined) process.kill(process.pid, 'SIGKILL');
await service.close();
