/** A process that holds a data folder and writes one item, for tests that kill it: `node … FOLDER`. */
import { openDataFolder } from '../../../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { databaseTable } from '../../../../lib/adapters/local/table/table.ts';

const { file } = openDataFolder(process.argv[2] ?? '');
const { table } = databaseTable(new LocalDatabase({ file }));
await table.write([{ do: 'put', table: 'runs', item: { pk: 'kept', sk: '.' } }]);
console.log('ready');
setInterval(() => undefined, 1000);
