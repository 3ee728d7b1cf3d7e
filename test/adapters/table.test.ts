import { afterAll, describe, test } from 'vitest';
import { openEndpointTable } from '../../lib/adapters/local/endpoint/tables.ts';
import { openLocalTable } from '../../lib/adapters/local/table/table.ts';
import { tableContract } from '../contract/table.ts';
import { limitContract } from '../contract/table-limits.ts';
import { startDynamoDBLocal } from '../emulator/dynamodb-local.ts';
import { type Emulator, startDynoxide } from '../emulator/dynoxide.ts';
import { UnavailableError } from '../emulator/python-packages.ts';

/** The emulator, or why there is none here. */
async function started(start: () => Promise<Emulator>): Promise<Emulator | string> {
  return start().catch((error: unknown) => {
    if (error instanceof UnavailableError) return error.message;
    throw error;
  });
}

interface Judge {
  readonly name: string;
  readonly emulator: Emulator | string;
  /** Laws of DynamoDB that it is known to break. */
  readonly differs: readonly string[];
}

const JUDGES: readonly Judge[] = [
  { name: "AWS's own DynamoDB Local", emulator: await started(startDynamoDBLocal), differs: [] },
  {
    name: 'the emulator dynoxide',
    emulator: await started(startDynoxide),
    differs: [
      ...[
        'a partition key of an index above 2048 bytes',
        'a sort key of an index above 1024 bytes',
        'an attribute without a name',
        'a name of nothing in a map',
        'an attribute whose name has 65536 bytes',
      ].map((what) => `${what} is refused, alone and among others`),
      'a read or a query with an empty key is refused',
    ],
  },
];

afterAll(async () => {
  for (const { emulator } of JUDGES) if (typeof emulator !== 'string') await emulator.close();
});

describe('the table in an SQLite database', () => {
  tableContract(() => openLocalTable());
  describe('has the limits of DynamoDB', () => limitContract(() => openLocalTable()));
});

describe.each(JUDGES)('the table on $name', ({ emulator, differs }) => {
  if (typeof emulator === 'string') {
    test.skip(`is not tried: ${emulator}`);
    return;
  }
  const open = () => openEndpointTable(emulator);
  tableContract(open);
  describe('has the limits of DynamoDB', () => limitContract(open, differs));
});
