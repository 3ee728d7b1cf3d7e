import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { parseJson } from '../../../language/json-numbers.ts';
import type { Inventory } from '../../../ports/inventory.ts';
import { keyNames } from '../../portable/schema.ts';
import { type DatabaseOptions, openDatabase } from './client.ts';
import { unmarshalItem } from './values.ts';

/** Items of a page: after a crash, the work on one page is repeated. */
const PAGE = 500;

/** All items of the tables in DynamoDB, or in a database with its protocol. */
export function dynamoInventory(options: DatabaseOptions): Inventory {
  const database = openDatabase(options);
  return {
    async page(table, next) {
      const command = new ScanCommand({
        TableName: database.names[table],
        ConsistentRead: true,
        Limit: PAGE,
        ...(next === undefined ? {} : { ExclusiveStartKey: startKeyOf(next) }),
        ...database.capacity,
      });
      const output = await database.call('Scan', table, (client) => client.send(command));
      const items = (output.Items ?? []).map(unmarshalItem);
      const page = { items, count: items.length };
      if (output.LastEvaluatedKey === undefined) return page;
      const { pk, sk } = unmarshalItem(output.LastEvaluatedKey);
      return { ...page, next: JSON.stringify([pk, sk]) };
    },
  };
}

function startKeyOf(next: string) {
  const [pk = '', sk = ''] = parseJson(next) as string[];
  return { [keyNames.partition]: { S: pk }, [keyNames.sort]: { S: sk } };
}
