/**
 * `node test/upgrade/record.ts <folder>`: leaves a data folder in which runs of this version wait, for versions to
 * come. Packed as `test/upgrade/<version and what sets its layout apart>.tar.gz`, it stays as it is for ever.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../bin/service.ts';
import { versionOf } from '../../bin/settings.ts';
import { clientOf } from '../service/client.ts';
import { CASES, CHILDREN, FAILS } from './workflows.ts';

const [data] = process.argv.slice(2);
if (data === undefined) throw new Error('name the folder');
const settings = { port: 0, host: '127.0.0.1', data, apiKey: undefined, brand: 'service' };
const service = await startService({ ...settings, databaseEndpoint: undefined, version: versionOf() });
const client = clientOf(service.url, service.key, () => service.close());
const sources: Record<string, string> = { fails: FAILS, ...CHILDREN };
for (const [path, { source }] of Object.entries(CASES)) sources[path] = source;
await client.call('PUT', '/api/namespaces/upgrade');
for (const [path, body] of Object.entries(sources)) {
  await client.call('PUT', `/api/namespaces/upgrade/tree/${path}?op=create-workflow`, { body });
}
await client.call('PUT', '/api/namespaces/upgrade/vars/greeting', { body: 'hello' });
await client.call('POST', '/api/namespaces/upgrade/tree/delay?op=tag&ref=latest&tag=v1');
for (const [path, { input }] of Object.entries(CASES)) {
  await client.call('POST', `/api/namespaces/upgrade/tree/${path}?op=execute`, { json: input });
}
await sleep(1000);
await service.close();
