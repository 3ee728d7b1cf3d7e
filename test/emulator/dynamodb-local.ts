import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Emulator } from './dynoxide.ts';
import { UnavailableError } from './python-packages.ts';

/** Where bin/ci-dynamodb.sh puts it. */
const FOLDER = join(tmpdir(), 'weft-dynamodb-local-2.6.1');
const LAUNCHER = fileURLToPath(new URL('dynamodb-local/Loopback.java', import.meta.url));

/** Starts AWS's own DynamoDB Local in memory. Throws UnavailableError when it was not fetched. */
export async function startDynamoDBLocal(): Promise<Emulator> {
  if (!existsSync(FOLDER))
    throw new UnavailableError('DynamoDB Local was not fetched; `bash bin/ci-dynamodb.sh` does it');
  const options = [`-Dsqlite4java.library.path=${FOLDER}`, '-Daws.region=local', '-cp', join(FOLDER, '*')];
  const child = spawn('java', [...options, LAUNCHER], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit').catch((error: Error) => {
    throw new UnavailableError(`there is no java: ${error.message}`);
  });
  const close = async () => {
    child.stdin.end();
    await ended;
  };
  const port = await Promise.race([portOf(child.stdout), ended]);
  if (typeof port !== 'string') throw new UnavailableError('java could not start DynamoDB Local');
  return { endpoint: `http://127.0.0.1:${port}`, close };
}

async function portOf(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface(output)) {
    const [, port] = /^port (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return port;
  }
  return undefined;
}
