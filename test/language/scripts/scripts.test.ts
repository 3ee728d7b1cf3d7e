import { describe, expect, test } from 'vitest';
import { QueryError } from '../../../lib/language/scripts/query-error.ts';
import { scanScripts } from '../../../lib/language/scripts/scripts.ts';

const jq = (source: string) => ({ kind: 'jq', source });
const js = (source: string) => ({ kind: 'js', source });
const text = (words: string) => ({ kind: 'text', text: words });

describe('the scripts of a text', () => {
  test.each([
    ['', [text('')]],
    ['plain', [text('plain')]],
    ['jq(.a)', [jq('.a')]],
    ['js(return 1)', [js('return 1')]],
    ['a jq(.b) c', [text('a '), jq('.b'), text(' c')]],
    ['jq(.a)js(b)', [jq('.a'), js('b')]],
    ['jq((.a + (1)) * 2)', [jq('(.a + (1)) * 2')]],
    ['pajq(.a)', [text('pa'), jq('.a')]],
    ['jjq(.a)', [text('j'), jq('.a')]],
    ['jq(js(1))', [jq('js(1)')]],
    ['jq (.a)', [text('jq (.a)')]],
    ['JQ(.a)', [text('JQ(.a)')]],
    ['jq()', [jq('')]],
    ['jq(".)")', [jq('".'), text('")')]],
    ['q(jq(.)', [text('q('), jq('.')]],
    ['jq(\n.a\n)', [jq('\n.a\n')]],
  ])('of %j are found', (query, pieces) => {
    expect(scanScripts(query)).toEqual(pieces);
  });

  test.each(['jq(.a', 'a js((1)', 'jq("(")'])('of %j include one without a closing bracket', (query) => {
    expect(() => scanScripts(query)).toThrow(QueryError);
  });
});
