/** Verdicts on a schema of the corpus that differ from those of gojsonschema, and why. */
export interface Difference {
  /** The schema as JSON text. */
  readonly schema: string;
  /** The values as JSON texts; `all` where the schema itself is judged otherwise. */
  readonly values: readonly string[] | 'all';
  readonly reason: string;
}

const DIGITS = 'The value has more digits than a double: it is compared as the nearest double.';
const ZERO = 'The sign of zero does not count (JSON Schema compares numbers by value).';
const EMPTY = 'An empty list is rejected when the workflow is stored, as the meta-schema of draft 7 says.';
const RFC =
  'The format is that of its RFC, which the official suite asks for; the original accepts texts that are not.';
const SEGMENT = 'The original rejects a colon in the first segment.';

const LONG = ['9007199254740993', '123456789012345678901234567890'];
const COLONS = [
  ...['"2020-01-01T10:00:00Z"', '"2020-01-01T10:00:00"', '"2020-01-01T10:00:00.5+01:00"'],
  ...['"10:00:00Z"', '"10:00:00"', '"23:59:60Z"'],
];
const ADDRESSES = ['"::1"', '"12345::"'];
const TEMPLATES = ['"http://x/{a}"', '"http://x/{a"'];
const EXPRESSIONS = ['"(?P<a>.)"', '"["'];

const format = (name: string): string => JSON.stringify({ format: name, type: 'string' });

/** Every difference. The test fails for another one, and for a row that is not needed. */
export const DIFFERENCES: readonly Difference[] = [
  { schema: '{"multipleOf":3}', values: LONG, reason: DIGITS },
  { schema: '{"multipleOf":1.5}', values: LONG, reason: DIGITS },
  { schema: '{"enum":[0]}', values: ['-0'], reason: ZERO },
  { schema: '{"const":0}', values: ['-0'], reason: ZERO },
  { schema: '{"items":[],"additionalItems":false}', values: 'all', reason: EMPTY },
  { schema: '{"type":[]}', values: 'all', reason: EMPTY },
  { schema: '{"enum":[]}', values: 'all', reason: EMPTY },
  { schema: format('time'), values: ['"10:00:00"', '"23:59:60Z"'], reason: RFC },
  { schema: format('date-time'), values: ['"2020-01-01"', '"10:00:00Z"', '"10:00:00"'], reason: RFC },
  { schema: format('email'), values: ['"Ada <a@example.com>"', '"ä@example.com"'], reason: RFC },
  { schema: format('idn-email'), values: ['"Ada <a@example.com>"'], reason: RFC },
  { schema: format('uri'), values: ['"http://bücher.example/"', ...TEMPLATES], reason: RFC },
  {
    schema: format('uri-reference'),
    values: [
      ...['"é"', '"éa"', '"日本"', '"😀"', '"😀😀"', '"\\u00a0"', '" "', '"٣"', '"αβ"', '"x bc"', ...COLONS],
      ...['"Ada <a@example.com>"', '"ä@example.com"', '"bücher.example"', ...ADDRESSES, '"http://bücher.example/"'],
      ...[...TEMPLATES, ...EXPRESSIONS],
    ],
    reason: `${RFC} ${SEGMENT}`,
  },
  { schema: format('iri'), values: TEMPLATES, reason: RFC },
  {
    schema: format('iri-reference'),
    values: ['" "', '"x bc"', ...COLONS, '"Ada <a@example.com>"', ...ADDRESSES, ...TEMPLATES, ...EXPRESSIONS],
    reason: `${RFC} ${SEGMENT}`,
  },
  {
    schema: format('uri-template'),
    values: ['" "', '"x bc"', ...COLONS, '"Ada <a@example.com>"', ...ADDRESSES, '"(?P<a>.)"'],
    reason: `${RFC} ${SEGMENT}`,
  },
  {
    schema: format('regex'),
    values: ['"(?P<a>.)"', '"(?=a)"'],
    reason: 'The format is ECMA-262, which the official suite asks for. `pattern` is RE2, as in the original.',
  },
  { schema: format('uuid'), values: ['"ABCDEF00-0000-0000-0000-000000000000"'], reason: RFC },
];
