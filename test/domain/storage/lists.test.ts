import { describe, expect, test } from 'vitest';
import type { ListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { MAX_PAGE_ROWS, rangeOf, spanOf } from '../../../lib/domain/storage/lists.ts';

const TOTAL = 25_000;
const request = (changes: Partial<ListRequest>): ListRequest => ({
  order: [],
  filter: [],
  limit: 0,
  offset: 0,
  ...changes,
});

describe('a page of a list has at most 1,000 rows', () => {
  test.each<[string, Partial<ListRequest>, [number, number]]>([
    ['without a limit', {}, [0, MAX_PAGE_ROWS]],
    ['with a negative limit', { limit: -1 }, [0, MAX_PAGE_ROWS]],
    ['with the smallest limit', { limit: -(2 ** 31) }, [0, MAX_PAGE_ROWS]],
    ['with a large limit', { limit: 2 ** 31 - 1 }, [0, MAX_PAGE_ROWS]],
    ['after an offset', { offset: 24_500 }, [24_500, TOTAL]],
    ['after a negative offset', { offset: -5 }, [0, MAX_PAGE_ROWS]],
    ['with a cursor alone', { cursor: { after: 'none' } }, [0, MAX_PAGE_ROWS]],
    ['with a large first', { cursor: { first: 2 ** 31 - 1 } }, [0, MAX_PAGE_ROWS]],
    ['with a negative first', { cursor: { first: -1 } }, [0, 0]],
    ['with a large last', { cursor: { last: 2 ** 31 - 1 } }, [TOTAL - MAX_PAGE_ROWS, TOTAL]],
    ['with a negative last', { cursor: { last: -1 } }, [TOTAL, TOTAL]],
  ])('%s', (_case, changes, range) => {
    expect(rangeOf(request(changes), TOTAL, () => -1)).toEqual(range);
  });

  test.each([0, -1, 2 ** 31 - 1])('limit %i of a list that is read by pages', (limit) => {
    expect(spanOf(request({ limit }))).toEqual({ from: 0, to: MAX_PAGE_ROWS });
  });
});
