import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startService } from '../../bin/server/service.ts';
import { readSettings } from '../../bin/server/settings.ts';

const start = (env: Readonly<Record<string, string>>) => startService({ ...readSettings(env), data: undefined });

test('a port that another program has is named, with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const PORT = typeof address === 'object' ? String(address?.port) : '';
  await expect(start({ PORT, HOST: '127.0.0.1' })).rejects.toThrow(
    `the port ${PORT} is in use by another program; set PORT=0 for any free one, or another`,
  );
  other.close();
});

test('an address of another computer is named', async () => {
  await expect(start({ PORT: '0', HOST: '192.0.2.1' })).rejects.toThrow(
    "the address '192.0.2.1' is none of this computer",
  );
});
