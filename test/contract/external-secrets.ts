import { expect, test } from 'vitest';
import type { ExternalSecrets, Reference } from '../../lib/ports/external-secrets.ts';

/** The port over one place, whose secrets a test sets. */
export interface OpenedPlace {
  readonly port: ExternalSecrets;
  /** Sets what is stored under the name. */
  readonly set: (text: string) => void | Promise<void>;
  /** A secret that is set, and one that is not. */
  readonly reference: Reference;
  readonly absent: Reference;
  /** Moves the clock of the port. */
  readonly wait: (milliseconds: number) => void;
}

/** The contract of the port `ExternalSecrets`. */
export function externalSecretsContract(open: () => Promise<OpenedPlace>): void {
  test('a value is read where it is, and kept for as long as the reader accepts', async () => {
    const { port, set, reference, wait } = await open();
    await set('first');
    expect(await port.read(reference, 60_000)).toBe('first');
    await set('second');
    wait(59_999);
    expect(await port.read(reference, 60_000)).toBe('first');
    expect(await port.read(reference, 30_000)).toBe('second');
    await set('third');
    expect(await port.read(reference, 0)).toBe('third');
  });

  test('a secret that does not exist is missing, and is found five seconds after it was set', async () => {
    const { port, set, reference, absent, wait } = await open();
    await expect(port.read(absent, 60_000)).rejects.toMatchObject({ name: 'ExternalSecretError', problem: 'missing' });
    await set('there');
    expect(await port.read(reference, 60_000)).toBe('there');
    wait(5_000);
    await expect(port.read(absent, 60_000)).rejects.toMatchObject({ problem: 'missing' });
  });
}
