import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../../../lib/adapters/local/containers/engine/engine.ts';
import type { ContainerRevision } from '../../../../lib/ports/containers.ts';
import { openContainers, revisionOf } from './fixtures/caller.ts';
import { engineForTests, makeTestImage } from './fixtures/image.ts';

const found = await engineForTests();
const missing = typeof found === 'string' ? found : undefined;

const tenantOf = (name: string) => ({ id: `id-of-${name}`, name });

describe('the container of a function', () => {
  const engine = found as Engine;
  const opened = openContainers({ folder: undefined, writableRoots: ['trusted'] });
  const { containers, call, prepared } = opened;
  let image = '';
  let revision: ContainerRevision;

  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  beforeAll(async () => {
    if (missing !== undefined) return;
    image = await makeTestImage(engine);
    revision = revisionOf(image, { tenant: tenantOf('shop') });
    await prepared(revision);
  });
  afterAll(() => containers.close());

  const ask = async (input: object, of = revision) => {
    const { failure, json } = await call(of.id, input);
    expect(failure).toBeUndefined();
    return json();
  };

  test('has no capability and gets no new privileges', async () => {
    const none = '0000000000000000';
    expect(await ask({ do: 'rights' })).toEqual({ capabilities: none, bounding: none, newPrivileges: '1' });
  });

  test('can write to its folder and to temporary folders, but not to its root', async () => {
    expect(await ask({ do: 'write', path: '/function.mjs' })).toBe('EROFS');
    for (const path of ['/tmp/a', '/var/tmp/a', '/run/a', '/mnt/shared/a']) {
      expect(await ask({ do: 'write', path }), path).toBe('written');
    }
  });

  test('can write to its root if the settings name its namespace', async () => {
    const trusted = revisionOf(image, { tenant: tenantOf('trusted') });
    await prepared(trusted);
    expect(await ask({ do: 'write', path: '/function.mjs' }, trusted)).toBe('written');
  });

  test('reaches the service on its own localhost', async () => {
    const steps = [{ path: '/log?aid=ID&log=hello' }, { path: '/var?aid=ID&key=k' }];
    expect(await ask({ do: 'helper', steps })).toMatchObject([{ status: 200 }, { status: 200 }]);
  });

  test('reaches neither the loopback of the host nor the containers of another tenant', async ({ skip }) => {
    const other = revisionOf(image, { tenant: tenantOf('other') });
    await prepared(other);
    await ask({ do: 'listen', port: 9000 }, other);
    const [address] = await ask({ do: 'addresses' }, other);
    skip(address === undefined, 'containers have no network here');
    const server = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const gateway = String(address).replace(/\.\d+$/, '.1');
    const reached = await Promise.all(
      [`http://${address}:9000`, `http://127.0.0.1:${port}`, `http://${gateway}:${port}`].map((url) =>
        ask({ do: 'connect', url }),
      ),
    );
    server.close();
    expect(reached).toEqual(['unreachable', 'unreachable', 'unreachable']);
    expect(await ask({ do: 'connect', url: `http://${address}:9000` }, other)).toBe('reached');
  });

  test('leaves no network when the service ends', async () => {
    const service = openContainers({ folder: undefined });
    const mine = revisionOf(image, { tenant: tenantOf('passing') });
    await service.prepared(mine);
    const networks = async () => {
      const { stdout } = await engine.run(['network', 'ls', '--format', '{{.Name}}', '--filter', 'name=weft-']);
      return stdout.split('\n').filter((name) => name !== '');
    };
    await service.call(mine.id, { do: 'echo' });
    const during = await networks();
    await service.containers.close();
    const after = await networks();
    expect(after.length).toBeLessThanOrEqual(Math.max(during.length - 1, 0));
  });
});
