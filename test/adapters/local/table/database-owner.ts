/** A process that has the database of a folder open and writes one item, for tests that kill it: `node … FOLDER`. */
import { openLocalTable } from '../../../../lib/adapters/local/table/table.ts';

const { table } = await openLocalTable({ folder: process.argv[2] ?? '' });
await table.write([{ do: 'put', table: 'runs', item: { pk: 'kept', sk: '.' } }]);
console.log('ready');
