import { once } from 'node:events';
import { join } from 'node:path';
import type { Send } from '../clients/client.ts';
import { installPackages } from './packages.ts';
import { postgresVersion, startPostgres } from './postgres.ts';
import { startProgram, until } from './processes.ts';
import type { Running, System } from './systems.ts';

const PACKAGES = { '@dbos-inc/dbos-sdk': '5.3.0' };

const run = (work: string) => (send: Send, key: string) => send('POST', `/${work}/${key}`);

/** Polls the counts of the application until one of them has the value. */
function untilCount(send: Send, name: 'pending' | 'waiting', count: number): Promise<void> {
  return until(
    `${count} ${name} runs of DBOS`,
    async () => JSON.parse(await send('GET', '/counts'))[name] === count,
    5,
  );
}

async function start(): Promise<Running> {
  const packages = await installPackages('dbos', PACKAGES);
  const postgres = await startPostgres();
  const program = startProgram(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--no-deprecation',
      join(import.meta.dirname, 'programs/dbos.ts'),
      packages,
      postgres.url,
    ],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const [port] = await once(program.child, 'message');
  const chain = run('chain');
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    pids: [program.pid, postgres.pid],
    requests: {
      one: run('one'),
      chain,
      committedChain: chain,
      calls: run('calls'),
      fan: run('fan'),
      begin: run('begin'),
      wait: run('wait'),
      signal: run('signal'),
    },
    drain: (send) => untilCount(send, 'pending', 0),
    untilWaiting: (send, count) => untilCount(send, 'waiting', count),
    async end() {
      await program.end();
      await postgres.end();
    },
  };
}

/** DBOS Transact for TypeScript: a library in one Node process that serves HTTP, and PostgreSQL. */
export const DBOS: System = {
  title: 'DBOS',
  versions: async () =>
    `DBOS Transact ${PACKAGES['@dbos-inc/dbos-sdk']} on ${await postgresVersion()}, Node ${process.versions.node}`,
  durability:
    'PostgreSQL with the settings of `initdb` (`fsync` and `synchronous_commit` are on). Each step is on the disk before the next one begins. The application is one process, with the default pool of 10 connections.',
  license: 'MIT for DBOS, the PostgreSQL License for PostgreSQL. Neither has a clause about measurements.',
  steps: 'Ten steps (`DBOS.runStep`). DBOS commits each, so both rows measure the same work.',
  start,
};
