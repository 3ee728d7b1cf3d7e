import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inFolder, type Measure, measureAll, openService, SERVICE, type Timings } from './times.ts';
import { wantedRows } from './workloads.ts';

/** The timings of a row in both checkouts. */
export interface Compared {
  readonly before: Timings;
  readonly after: Timings;
}

/**
 * Measures rows on the service of another checkout of this repository, `before`, and on that of this one, `after`, in turn,
 * so that a disturbance meets both. The packages of the checkout are installed. The result has the names of the rows as
 * keys. BENCH_ROWS selects rows, as for `measureTimes`.
 */
export function compareTimes(checkout: string): Promise<Map<string, Compared>> {
  const rows = wantedRows();
  const program = pathToFileURL(join(resolve(checkout), 'bench', SERVICE)).href;
  return inFolder(async (folder) => {
    const before = await openService(join(folder, 'before'), rows, program);
    const after = await openService(join(folder, 'after'), rows);
    try {
      const measures = new Map<string, Measure>();
      for (const { name } of rows) {
        for (const [when, { measure }] of Object.entries({ before, after })) {
          measures.set(`${when} ${name}`, measure.get(name) as Measure);
        }
      }
      const timings = await measureAll(measures);
      const timingsOf = (when: keyof Compared, name: string) => timings.get(`${when} ${name}`) as Timings;
      return new Map(
        rows.map(({ name }) => [name, { before: timingsOf('before', name), after: timingsOf('after', name) }]),
      );
    } finally {
      await before.close();
      await after.close();
    }
  });
}
