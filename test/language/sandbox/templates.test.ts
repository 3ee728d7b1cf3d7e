import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../../lib/language/sandbox/sandbox.ts';

const patient = createSandbox({ memoryMiB: 64 });
const hasty = createSandbox({ deadlineMs: 300, memoryMiB: 64 });
afterAll(() => Promise.all([patient.close(), hasty.close()]));

/** Every look-up of a long name passes all sections. */
const NAMES = Array.from({ length: 40 }, (_, n) => `{{${'x.'.repeat(50_000)}${n}}}`).join('');
const LOOKUPS = `${'{{#a}}'.repeat(1000)}${NAMES}${'{{/a}}'.repeat(1000)}`;

const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 10);
  await work.catch(() => undefined);
  clearInterval(timer);
  return turns;
};

describe('a template in the sandbox', () => {
  test('is rendered, and escaped for HTML', async () => {
    const template = '<h1>{{h}}</h1>{{#l}}{{.}},{{/l}}{{{h}}}{{none}}';
    expect(await patient.render(template, { h: '<', l: [1, 2] })).toBe('<h1>&lt;</h1>1,2,<');
    expect(await patient.render('{{a}}.', undefined)).toBe('.');
  });

  test.each([
    ['{{#a}}', {}, 'the template could not be rendered: Unclosed section'],
    ['{{#l}}{{#l}}{{#l}}x{{/l}}{{/l}}{{/l}}', { l: Array.from({ length: 100 }, () => 1) }, 'more than 200000 parts'],
    ['{{a}}{{a}}', { a: 'x'.repeat(5_000_000) }, 'more than 8388608 characters'],
  ])('fails for %s', async (template, data, message) => {
    await expect(patient.render(template, data)).rejects.toThrow(message);
  });

  test('ends at the deadline, and leaves the calling thread free', async () => {
    const rendered = hasty.render(LOOKUPS, { a: {} });
    expect(await turnsDuring(rendered)).toBeGreaterThan(3);
    await expect(rendered).rejects.toThrow('the template could not be rendered: timeout after 0.3 s');
  });

  test('ends where it would fill the memory', async () => {
    const filling = hasty.render('{{a}}'.repeat(1000), { a: '&'.repeat(4_000_000) });
    await expect(filling).rejects.toThrow(/^the template could not be rendered: /);
    expect(await hasty.render('{{a}}', { a: 1 })).toBe('1');
  });
});
