import { expect, test } from 'vitest';
import { Placeholders, whereText } from '../../../lib/adapters/aws/table/expression.ts';
import { whereOf } from '../../../lib/domain/instances/filters.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';

const repeated = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

test.each([
  ['AS', 'CONTAINS'],
  ['AS', 'WORKFLOW'],
  ['TRIGGER', 'MATCH'],
])('300 filters %s/%s fit into an expression of DynamoDB; the rows are filtered again', (field, type) => {
  const [fields, types, values] = [field, type, 'x'].map((text) => repeated(300, text)) as [
    string[],
    string[],
    string[],
  ];
  const request = toListRequest({ 'filter.field': fields, 'filter.type': types, 'filter.val': values });
  const { where, isExact } = whereOf(request);
  const text = whereText(where, new Placeholders()) ?? '';
  expect(text.length).toBeLessThan(4096);
  expect(text.split(/ = |AND|OR|contains|begins_with/).length).toBeLessThan(300);
  expect(isExact).toBe(false);
});
