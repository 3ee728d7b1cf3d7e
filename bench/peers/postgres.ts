import { globSync, realpathSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freePort, runProgram, startProgram, until } from './processes.ts';

/** A PostgreSQL server with an empty database, on a free port. */
export interface Postgres {
  readonly url: string;
  readonly pid: number;
  readonly end: () => Promise<void>;
}

/** The folder of the programs of PostgreSQL: in PATH, or where Debian has the newest. Throws if there is none. */
function programsFolder(): string {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'initdb'));
  const ofDebian = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  );
  const [found] = globSync([...inPath, ...ofDebian]);
  // A link in PATH may stand alone.
  if (found !== undefined) return dirname(realpathSync(found));
  throw new Error(
    'DBOS needs PostgreSQL, and there is no initdb in PATH or in /usr/lib/postgresql: install it, with `apt-get install postgresql` (Debian, Ubuntu) or `brew install postgresql` (macOS)',
  );
}

/** The version of PostgreSQL on this machine. */
export async function postgresVersion(): Promise<string> {
  const { stdout } = await runProgram(join(programsFolder(), 'postgres'), ['--version']);
  return `PostgreSQL ${/[\d.]+/.exec(stdout)?.[0]}`;
}

/** PostgreSQL refuses to run as root: then the user postgres runs it. */
async function userOfServer(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => runProgram('id', [flag, 'postgres'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

/** Starts a server in a temporary folder with the settings of `initdb`: fsync and synchronous_commit are on. */
export async function startPostgres(): Promise<Postgres> {
  const programs = programsFolder();
  const user = await userOfServer();
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const port = String(await freePort());
  const options = { ...user, cwd: folder };
  await runProgram(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'], options);
  const address = ['-h', '127.0.0.1', '-p', port];
  const args = ['-D', data, ...address, '-k', folder, '-c', 'log_min_messages=panic'];
  // SIGINT ends the sessions and the server.
  const server = startProgram(join(programs, 'postgres'), args, options, 'SIGINT');
  await until('PostgreSQL', async () => {
    await runProgram(join(programs, 'pg_isready'), [...address, '-U', 'postgres', '-d', 'postgres']);
    return true;
  });
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/dbos`,
    pid: server.pid,
    async end() {
      await server.end();
      await rm(folder, { recursive: true });
    },
  };
}
