import { expect, test } from 'vitest';
import { toResult } from '../../../lib/containers/session/answers.ts';

const failed = (errorMessage: string) =>
  toResult({
    answered: { status: 200, errorCode: 'shop.empty', errorMessage, problem: '' },
    body: Buffer.alloc(0),
    outputs: [],
  }).failure;

test.each([
  ['no bread', 'no bread'],
  ['UTF-8', Buffer.from('kein Brot in Köln').toString('latin1'), 'kein Brot in Köln'],
  ['UTF-8 beyond ISO 8859-1', Buffer.from('0 € 🍞').toString('latin1'), '0 € 🍞'],
  ['ISO 8859-1, which is no UTF-8', 'Köln', 'Köln'],
])('the message of an error header is read: %s', (_, header, message = header) => {
  expect(failed(header)).toEqual({ code: 'shop.empty', message });
});
