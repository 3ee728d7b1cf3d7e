import { LocalDatabase } from '../../../lib/adapters/local/database/database.ts';

/** An adapter over a separate database, which is closed with it. */
export function owning<Adapter extends { close(): Promise<void> }>(
  file: string,
  open: (database: LocalDatabase) => Adapter,
): Adapter {
  const database = new LocalDatabase({ file, sync: 'normal' });
  const adapter = open(database);
  const close = adapter.close.bind(adapter);
  adapter.close = async () => {
    await close();
    await database.close();
  };
  return adapter;
}
