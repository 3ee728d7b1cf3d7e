import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServiceProcess, startProcess } from '../access/process.ts';

const hasProc = existsSync('/proc/net/tcp');
/** States of sockets in /proc/net: a TCP socket that listens, and a UDP socket that is bound. */
const [LISTENS, BOUND] = ['0A', '07'];
/** The flag of a Unix socket that listens (`__SO_ACCEPTCON`). */
const ACCEPTS = '00010000';

const linesOf = (file: string): string[][] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
    : [];

/** The sockets of this machine that accept connections or datagrams: inode -> protocol and address. */
function openSockets(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [kind, state] of [
    ['tcp', LISTENS],
    ['tcp6', LISTENS],
    ['udp', BOUND],
    ['udp6', BOUND],
  ] as const) {
    for (const [, local = '', , at, , , , , , inode = ''] of linesOf(`/proc/net/${kind}`)) {
      if (at === state) found.set(inode, `${kind} ${local}`);
    }
  }
  for (const [, , , flags, , , inode = '', path = ''] of linesOf('/proc/net/unix')) {
    if (flags === ACCEPTS) found.set(inode, `unix ${path}`);
  }
  return found;
}

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });

/** A process and all that it started. */
function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function socketsOf(pid: number): string[] {
  const sockets = openSockets();
  return treeOf(pid).flatMap((one) =>
    readdirSync(`/proc/${one}/fd`).flatMap((fd) => {
      const [, inode = ''] = /^socket:\[(\d+)\]$/.exec(readlinkOrNone(`/proc/${one}/fd/${fd}`)) ?? [];
      return sockets.get(inode) ?? [];
    }),
  );
}

/** A file may be closed meanwhile. */
function readlinkOrNone(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** An address of /proc/net: 127.0.0.1 and a port. */
const loopback = (port: number): string => `tcp 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;

describe.skipIf(!hasProc)('the service and all processes that it started', () => {
  let folder: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-sockets-'));
    service = await startProcess(folder);
    const { call } = service.client;
    await call('PUT', '/api/namespaces/open');
    const source = 'states:\n- id: a\n  type: noop\n  transform: "jq(def f: . + 1; {n: (.n | f)})"\n';
    await call('PUT', '/api/namespaces/open/tree/w?op=create-workflow', { body: source });
    const answer = await call('POST', '/api/namespaces/open/tree/w?op=wait', { json: { n: 1 } });
    expect(answer.json()).toEqual({ n: 2 });
  });
  afterAll(async () => {
    await service.end('SIGTERM');
    await rm(folder, { recursive: true });
  });

  test('listen at the one address that was printed, and nowhere else', () => {
    const { port } = new URL(service.client.url);
    expect(socketsOf(service.child.pid ?? 0)).toEqual([loopback(Number(port))]);
  });

  test('are one process', () => {
    expect(treeOf(service.child.pid ?? 0)).toEqual([service.child.pid]);
  });
});

test.skipIf(hasProc)('sockets are not looked at: there is no /proc/net on this system', () => {
  expect(process.platform).not.toBe('linux');
});
