import { beforeEach, describe, expect, test } from 'vitest';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import { toExternalValue } from '../../../lib/domain/credentials/references.ts';
import * as registries from '../../../lib/domain/credentials/registries.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as removals from '../../../lib/domain/purging/purging.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { secretReader } from '../../../lib/engine/evaluation/secrets.ts';
import { ExternalSecretError } from '../../../lib/ports/external-secrets.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import type { Item, Key, Table } from '../../../lib/ports/table.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

const VALUE = Buffer.from('plain-text-of-the-secret');
const HUB = 'https://docker.io';

let quiet: MemoryPorts;
let needs: Pick<Ports, 'table' | 'settings' | 'sealer' | 'externalSecrets'>;
let home: namespaces.Namespace;

beforeEach(async () => {
  quiet = new MemoryPorts();
  needs = { ...quiet.ports, sealer: localSealer() };
  home = await quiet.namespace('home');
});

async function itemAt(key: Key): Promise<Item> {
  const [item] = await needs.table.get([key]);
  if (item === undefined) throw new Error(`nothing at ${key.pk} ${key.sk}`);
  return item;
}

/** Copies an item to another key, as any process with write access to the table could. */
async function move(from: Key, { table, pk, sk }: Key): Promise<void> {
  await needs.table.write([{ do: 'put', table, item: { ...(await itemAt(from)), pk, sk } }]);
}

const partitionsOf = (id: string) => [keys.secrets(id), keys.registries(id), keys.dataKey(id)];
const rowsIn = async (id: string): Promise<number> => {
  const pages = await Promise.all(partitionsOf(id).map(({ table, pk }) => needs.table.query({ table, pk })));
  return pages.reduce((sum, { items }) => sum + items.length, 0);
};

describe('the stored item', () => {
  test('of a secret has its name and bytes that do not contain its value', async () => {
    await secrets.set(needs, home, 'A', VALUE);
    const { pk, sk, ...rest } = await itemAt(keys.secret(home.id, 'A'));
    expect([sk, Object.keys(rest)]).toEqual(['A', ['sealed']]);
    expect(Buffer.from(rest['sealed'] as Uint8Array).includes(VALUE)).toBe(false);
  });

  test('of a registry has its address, the obscured user, and bytes that contain neither user nor token', async () => {
    await registries.set(needs, home, HUB, 'long-user-name:long-token');
    const { url, user, sealed } = await itemAt(keys.registry(home.id, HUB));
    expect([url, user]).toEqual([HUB, 'lo***me']);
    const text = Buffer.from(sealed as Uint8Array).toString('latin1');
    expect(text).not.toContain('long-user-name');
    expect(text).not.toContain('long-token');
  });

  test('is sealed with one data key for all of a namespace, and with another one for global credentials', async () => {
    await secrets.set(needs, home, 'A', VALUE);
    const first = await itemAt(keys.dataKey(home.id));
    await secrets.set(needs, home, 'B', VALUE);
    await registries.set(needs, home, HUB, 'a:b');
    await registries.set(needs, 'global', HUB, 'a:b');
    await registries.set(needs, 'private', HUB, 'a:b');
    expect(await itemAt(keys.dataKey(home.id))).toEqual(first);
    expect(await itemAt(keys.dataKey('installation'))).not.toEqual(first);
  });
});

describe('an item that was moved in the database does not open', () => {
  test('at the key of another secret', async () => {
    await secrets.set(needs, home, 'A', VALUE);
    await move(keys.secret(home.id, 'A'), keys.secret(home.id, 'B'));
    expect((await secrets.read(needs, home, ['A'])).get('A')).toBe(VALUE.toString());
    await expect(secrets.read(needs, home, ['B'])).rejects.toThrow();
  });

  test('in another namespace, with or without its data key', async () => {
    const other = await quiet.namespace('other');
    await secrets.set(needs, home, 'A', VALUE);
    await secrets.set(needs, other, 'B', VALUE);
    await move(keys.secret(home.id, 'A'), keys.secret(other.id, 'A'));
    await expect(secrets.read(needs, other, ['A'])).rejects.toThrow();
    await move(keys.dataKey(home.id), keys.dataKey(other.id));
    await expect(secrets.read(needs, other, ['A'])).rejects.toThrow('does not open');
  });

  test('from the registries for global services to those for all services', async () => {
    await registries.set(needs, 'private', HUB, 'a:b');
    expect(await registries.credentialsFor(needs, 'global', 'alpine')).toHaveLength(1);
    await move(keys.registry('private', HUB), keys.registry('global', HUB));
    await expect(registries.credentialsFor(needs, home, 'alpine')).rejects.toThrow();
  });
});

describe('a namespace that is deleted', () => {
  test('has no secrets, registries or data key left', async () => {
    await secrets.set(needs, home, 'A', VALUE);
    await secrets.set(needs, home, 'f/B', VALUE);
    await registries.set(needs, home, HUB, 'a:b');
    expect(await rowsIn(home.id)).toBe(4);
    const purge = await namespaces.remove(quiet.ports, 'home', true);
    await removals.finish(quiet.ports, purge);
    expect(await rowsIn(home.id)).toBe(0);
  });

  test.each([
    ['a secret', () => secrets.set(needs, home, 'A', VALUE)],
    ['a folder', () => secrets.set(needs, home, 'f/', new Uint8Array())],
    ['a registry', () => registries.set(needs, home, HUB, 'a:b')],
  ])('does not get %s that is set at the same time', async (_what, set) => {
    await removals.finish(quiet.ports, await namespaces.remove(quiet.ports, 'home', true));
    await expect(set()).rejects.toThrow('namespace not found');
    await quiet.namespace('home');
    await expect(set()).rejects.toThrow('namespace not found');
    expect(await rowsIn(home.id)).toBe(0);
  });
});

describe('a secret reader', () => {
  const counted = (calls: number[]): Table => ({
    get: (wanted) => {
      calls.push(wanted.length);
      return needs.table.get(wanted);
    },
    query: (query) => needs.table.query(query),
    write: (writes) => needs.table.write(writes),
  });

  test('reads each secret once, however many elements ask for it', async () => {
    for (const name of ['A', 'B']) await secrets.set(needs, home, name, Buffer.from(name));
    const calls: number[] = [];
    const read = secretReader({ ...needs, table: counted(calls) }, { namespaceId: home.id, namespace: home.name });
    const asked = Array.from({ length: 50 }, () => read(['A', 'B', 'A']));
    expect(new Set((await Promise.all(asked)).map((values) => JSON.stringify(values)))).toEqual(
      new Set(['{"A":"A","B":"B"}']),
    );
    expect(await read(['B'])).toEqual({ B: 'B' });
    expect(calls).toEqual([3]);
  });

  test('reports the first missing secret', async () => {
    await secrets.set(needs, home, 'A', VALUE);
    const read = secretReader(needs, { namespaceId: home.id, namespace: home.name });
    await expect(read(['A', 'NO', 'NEITHER'])).rejects.toMatchObject({
      kind: 'uncatchable',
      code: 'secrets.notFound',
      message: "secret 'NO' not found",
    });
  });
});

describe('a secret that is stored elsewhere', () => {
  const REFERENCE = 'aws-sm:weft/home/db#password';
  const refer = (reference = REFERENCE, cache?: string) =>
    secrets.set(needs, home, 'A', toExternalValue(needs, home, reference, cache));
  const read = async () => (await secrets.read(needs, home, ['A'])).get('A');
  const list = async () => (await secrets.list(needs, home, '', toListRequest({}, 'refused'))).results;

  test('is read where it is, at most five minutes old, in a namespace without a data key', async () => {
    await refer();
    quiet.externalSecrets.values.set(REFERENCE, 'theirs');
    expect(await read()).toBe('theirs');
    quiet.externalSecrets.values.set(REFERENCE, 'rotated');
    expect(await read()).toBe('rotated');
    expect(quiet.externalSecrets.reads.map(({ maxAgeMs }) => maxAgeMs)).toEqual([300_000, 300_000]);
    expect(await needs.table.get([keys.dataKey(home.id)])).toEqual([undefined]);
  });

  test('is at most as old as its own cache', async () => {
    await refer(REFERENCE, 'PT10S');
    await read().catch(() => undefined);
    expect(quiet.externalSecrets.reads).toEqual([{ text: REFERENCE, maxAgeMs: 10_000 }]);
  });

  test('is listed with its reference and without its value', async () => {
    quiet.externalSecrets.values.set(REFERENCE, 'theirs');
    await refer(REFERENCE, 'PT10S');
    await secrets.set(needs, home, 'B', VALUE);
    expect(await list()).toEqual([
      { name: 'A', initialized: true, reference: REFERENCE, cache: 'PT10S' },
      { name: 'B', initialized: true },
    ]);
    expect(await secrets.initializedOf(needs, home)).toEqual(
      new Map([
        ['A', true],
        ['B', true],
      ]),
    );
  });

  test('becomes a value, and a value becomes a reference', async () => {
    await secrets.set(needs, home, 'A', VALUE);
    await refer();
    quiet.externalSecrets.values.set(REFERENCE, 'theirs');
    expect(await read()).toBe('theirs');
    expect(Object.keys(await itemAt(keys.secret(home.id, 'A')))).not.toContain('sealed');
    await secrets.overwrite(needs, home, 'A', VALUE);
    expect(await read()).toBe(VALUE.toString());
    expect(await list()).toEqual([{ name: 'A', initialized: true }]);
  });

  test('is refused when the operator allows it no longer', async () => {
    await refer();
    needs = { ...needs, settings: { ...needs.settings, secretSources: [] } };
    await expect(read()).rejects.toMatchObject({ name: 'ExternalSecretError', problem: 'refused' });
    await expect(read()).rejects.toThrow(`secret 'A' (${REFERENCE}): namespace 'home' may not use`);
    expect(quiet.externalSecrets.reads).toEqual([]);
  });

  test.each(['missing', 'refused', 'unavailable'] as const)('that is %s is an error of a state', async (problem) => {
    await refer();
    quiet.externalSecrets.values.set(REFERENCE, new ExternalSecretError(problem, 'for a reason'));
    await expect(secretReader(needs, { namespaceId: home.id, namespace: home.name })(['A'])).rejects.toMatchObject({
      kind: 'catchable',
      code: `secrets.${problem}`,
      message: `secret 'A' (${REFERENCE}): for a reason`,
    });
  });

  test('cannot be a folder', async () => {
    const value = toExternalValue(needs, home, REFERENCE, undefined);
    await expect(secrets.set(needs, home, 'f/', value)).rejects.toMatchObject({ code: 'malformed' });
  });
});
