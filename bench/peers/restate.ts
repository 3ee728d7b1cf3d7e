import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Send } from '../clients/client.ts';
import { installPackages } from './packages.ts';
import { freePort, type Program, startProgram, until } from './processes.ts';
import type { Running, System } from './systems.ts';

const PACKAGES = { '@restatedev/restate-server': '1.7.12', '@restatedev/restate-sdk': '1.17.2' };

const run = (handler: string) => (send: Send, key: string) => send('POST', `/bench/${handler}`, JSON.stringify(key));
const runWaiter = (handler: string) => (send: Send, key: string) => send('POST', `/waiter/${key}/${handler}`);

async function startServer(packages: string, folder: string, [ingress, admin, node]: readonly number[]) {
  // The package's own start script would be one process more.
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  const binary = createRequire(join(packages, 'package.json')).resolve(platform);
  const env = {
    ...process.env,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_LISTEN_MODE: 'tcp',
    // Without the search for a newer version, which fails without a network.
    RESTATE_LOG_FILTER: 'error,octocrab=off',
    RESTATE_DISABLE_TELEMETRY: 'true',
  };
  const server = startProgram(binary, ['--no-logo', '--base-dir', folder, '--node-name', 'bench'], { env });
  await until('Restate', async () => (await fetch(`http://127.0.0.1:${ingress}/restate/health`)).ok);
  await until('the admin API of Restate', async () => (await fetch(`http://127.0.0.1:${admin}/health`)).ok);
  return server;
}

async function register(admin: number, services: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${services}` }),
  });
  if (!response.ok) throw new Error(`Restate did not accept the services: ${response.status} ${await response.text()}`);
}

async function countsOf({ child }: Program): Promise<{ ended: number; waiting: number }> {
  const answer = once(child, 'message');
  child.send('counts');
  return (await answer)[0];
}

/** Resolves when the handlers of all runs have ended and the server has stored it. */
async function drain(admin: number, services: Program, expected: number): Promise<void> {
  await until('the end of all handlers', async () => (await countsOf(services)).ended >= expected, 5);
  const body = JSON.stringify({ query: "SELECT id FROM sys_invocation WHERE status <> 'completed' LIMIT 1" });
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  await until(
    'the end of all invocations',
    async () => {
      const response = await fetch(`http://127.0.0.1:${admin}/query`, { method: 'POST', headers, body });
      return ((await response.json()) as { rows: unknown[] }).rows.length === 0;
    },
    5,
  );
}

async function start(folder: string): Promise<Running> {
  const packages = await installPackages('restate', PACKAGES);
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const [ingress, admin, node, port] = ports;
  const server = await startServer(packages, folder, [ingress, admin, node]);
  const services = startProgram(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'programs/restate.ts'), packages, String(port)],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, RESTATE_LOGGING: 'ERROR' } },
  );
  await once(services.child, 'message');
  await register(admin, port);
  const chain = run('chain');
  let expected = 0;
  return {
    url: new URL(`http://127.0.0.1:${ingress}`),
    pids: [server.pid, services.pid],
    requests: {
      one: run('one'),
      chain,
      committedChain: chain,
      calls: run('calls'),
      fan: run('fan'),
      begin: run('begin/send'),
      wait: runWaiter('run'),
      signal: runWaiter('signal'),
    },
    drain(_, count) {
      expected += count;
      return drain(admin, services, expected);
    },
    untilWaiting: (_, count) =>
      until(`${count} waiting handlers`, async () => (await countsOf(services)).waiting === count, 5),
    async end() {
      await services.end();
      await server.end();
    },
  };
}

/** Restate: its server, and one Node process with the services that it calls. */
export const RESTATE: System = {
  title: 'Restate',
  versions: async () =>
    `Restate server ${PACKAGES['@restatedev/restate-server']} with the TypeScript SDK ${PACKAGES['@restatedev/restate-sdk']}, Node ${process.versions.node}`,
  durability:
    'Its own log in RocksDB, with the default settings (the write-ahead log is flushed, one node, 24 partitions). A step is on the disk before the next one begins. The services are one process, called over HTTP/2.',
  license:
    'Business Source License 1.1 for the server, MIT for the SDK. The former grants use outside of production, and in production for all but a public platform service; it has no clause about measurements or their publication.',
  steps: 'Ten steps (`ctx.run`). Restate stores each in its journal, so both rows measure the same work.',
  start,
};
