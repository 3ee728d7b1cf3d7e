import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { textAt } from '../client/replies.ts';
import type { Service } from '../client/service.ts';
import { sizeText } from '../shell/command.ts';

/** What one check found. `note`: nothing is wrong, but a part of Weft does not work as it stands. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly found: string;
  /** What to do; absent where nothing is to be done. */
  readonly mend?: string;
}

const ok = (name: string, found: string): Check => ({ name, state: 'ok', found });
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The oldest Node that runs a service; the other commands of the package need 22. */
const NODE = [22, 13];

/** Checks the version of Node, as in `24.21.0`. */
export function checkVersions(node: string): Check {
  const found = `Weft ${packageVersion()}, Node ${node}, ${process.platform} ${process.arch}`;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [least = 0, leastMinor = 0] = NODE;
  if (major > least || (major === least && minor >= leastMinor)) return ok('versions', found);
  return { name: 'versions', state: 'wrong', found, mend: `install Node ${NODE.join('.')} or newer` };
}

/** Checks that the data folder can be written, and that other users cannot read the keys in it. */
export async function checkFolder(folder: string): Promise<Check> {
  const name = 'data folder';
  const info = await stat(folder).catch(() => undefined);
  if (info === undefined) {
    return {
      name,
      state: 'note',
      found: `${folder} does not exist`,
      mend: 'a service creates it, or name it by --data',
    };
  }
  if (!info.isDirectory())
    return { name, state: 'wrong', found: `${folder} is no folder`, mend: 'name another by --data' };
  const refusal = await access(folder, constants.R_OK | constants.W_OK).then(() => undefined, textOf);
  if (refusal !== undefined) {
    return { name, state: 'wrong', found: refusal, mend: `run as the user of the service, or chown ${folder}` };
  }
  if ((info.mode & 0o077) === 0 || process.platform === 'win32') return ok(name, folder);
  const found = `other users can open ${folder}, which has the keys`;
  return { name, state: 'wrong', found, mend: `chmod 700 ${folder}` };
}

const LEAST_FREE = 2 ** 30;

/** Checks the free space of the disk of the data folder, or of the folder in which it would be created. */
export async function checkDisk(folder: string): Promise<Check> {
  const name = 'disk';
  const place = (await stat(folder).catch(() => undefined)) === undefined ? dirname(folder) : folder;
  try {
    const { bavail, bsize } = await statfs(place);
    const found = `${sizeText(bavail * bsize)} free at ${place}`;
    if (bavail * bsize >= LEAST_FREE) return ok(name, found);
    return {
      name,
      state: 'wrong',
      found,
      mend: `free ${sizeText(LEAST_FREE)}, or name a folder on another disk by --data`,
    };
  } catch (error) {
    return { name, state: 'wrong', found: textOf(error), mend: 'name a folder that can be read by --data' };
  }
}

/** Why a port of this machine cannot be opened; undefined: it can. */
const refusalOf = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(textOf(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });

/** Checks that the port of a service is free, or that the service that was found listens there. */
export async function checkPort(text: string, isServed: (port: number) => boolean): Promise<Check> {
  const name = 'port';
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return { name, state: 'wrong', found: `PORT is '${text}'`, mend: 'set PORT to a number from 0 to 65535' };
  }
  if (isServed(port)) return ok(name, `a service listens on ${port}`);
  const refusal = await refusalOf(port);
  if (refusal === undefined) return ok(name, `${port} is free`);
  return {
    name,
    state: 'wrong',
    found: refusal,
    mend: `set PORT to another port, or end the program that uses ${port}`,
  };
}

/** Checks that a service replies, accepts the key, and has the version of this program. */
export async function checkService(service: Service): Promise<Check> {
  const name = 'service';
  const { url } = service;
  try {
    const theirs = textAt(await service.call('GET', '/api/version'), 'flow');
    if (theirs === packageVersion()) return ok(name, `${url} replies, version ${theirs}`);
    const found = `${url} has the version ${theirs}, this program ${packageVersion()}`;
    return { name, state: 'note', found, mend: 'install the same version of both' };
  } catch (error) {
    return { name, state: 'note', found: textOf(error), mend: "start it by 'weft dev', or see 'weft help login'" };
  }
}

const MOST_SKEW_MS = 5_000;
const REACH_MS = 5_000;

/** Checks that a URL outside can be reached, and that its clock and that of this machine agree. */
export async function checkOutside(url: string, now: () => number): Promise<readonly Check[]> {
  try {
    const reply = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(REACH_MS) });
    const egress = ok('egress', `${url} replies with ${reply.status}`);
    const date = Date.parse(reply.headers.get('date') ?? '');
    if (Number.isNaN(date)) return [egress, { name: 'clock', state: 'note', found: `${url} sends no time` }];
    const skew = Math.abs(now() - date);
    const found = `${(skew / 1000).toFixed(0)} s from that of ${url}`;
    if (skew <= MOST_SKEW_MS) return [egress, ok('clock', found)];
    return [
      egress,
      { name: 'clock', state: 'wrong', found, mend: 'synchronize the clock (NTP): leases and signatures fail' },
    ];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const found = `${url} cannot be reached: ${textOf(cause)}`;
    const mend =
      'workflows cannot call services outside: check the proxy and the firewall, or choose a host by --reach';
    return [{ name: 'egress', state: 'note', found, mend }];
  }
}
