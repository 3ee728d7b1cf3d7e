import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { keyNames, type TableSchema, tableSchemas } from '../../lib/adapters/portable/schema.ts';
import { acknowledge } from '../rights/acknowledgements.ts';
import { allow } from '../rights/rights.ts';
import type { Settings } from '../settings/settings.ts';

type Name = keyof typeof tableSchemas;

const NAMES = Object.keys(tableSchemas) as Name[];

/** What the table port does; a transaction asks for the rights of its parts. */
const ACTIONS = ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The name says where a table is, so that nothing has to be handed from the stack that makes it to those that use it. */
const tableName = ({ name: installation }: Settings, name: Name): string => `${installation}-${name}`;

/** The tables: the catalog is what users made, and is kept and backed up; runs and the journal go by themselves. */
export class Tables extends Construct {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    for (const name of NAMES) this.#make(name, tableName(settings, name), settings.retain && name === 'catalog');
  }

  #make(name: Name, tableName: string, kept: boolean): void {
    const table = new Table(this, name, {
      tableName,
      partitionKey: text(keyNames.partition),
      sortKey: text(keyNames.sort),
      timeToLiveAttribute: keyNames.expiry,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: kept },
      deletionProtection: kept,
      removalPolicy: kept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const schema: TableSchema = tableSchemas[name];
    for (const [indexName, { hash, range, includes }] of Object.entries(schema.indexes)) {
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: text(hash),
        sortKey: text(range),
        ...(includes.length === 0
          ? { projectionType: ProjectionType.KEYS_ONLY }
          : {
              projectionType: ProjectionType.INCLUDE,
              nonKeyAttributes: includes.filter((attribute) => attribute !== hash && attribute !== range),
            }),
      });
    }
    if (!kept) acknowledge(table, { DDB3: 'What is in it is of no use after a day or two, and goes by itself.' });
  }
}

/** Where functions find the tables: `WEFT_CATALOG` and so on. */
export function tablesEnvironment(settings: Settings): Record<string, string> {
  return Object.fromEntries(NAMES.map((name) => [`WEFT_${name.toUpperCase()}`, tableName(settings, name)]));
}

const arnsIn =
  (settings: Settings, role: IRole) =>
  (name: Name): string =>
    Stack.of(role).formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName(settings, name) });

/** Lets a role read and write items, and query the indexes that there are. */
export function grantTables(settings: Settings, role: IRole): void {
  const arnOf = arnsIn(settings, role);
  const indexes = NAMES.flatMap((name) =>
    Object.keys(tableSchemas[name].indexes).map((index) => `${arnOf(name)}/index/${index}`),
  );
  allow(role, 'dynamodb', ACTIONS, NAMES.map(arnOf));
  allow(role, 'dynamodb', ['Query'], indexes);
}

/** Lets a role look at every item, and write it. */
export function grantInventory(settings: Settings, role: IRole): void {
  grantTables(settings, role);
  allow(role, 'dynamodb', ['Scan'], NAMES.map(arnsIn(settings, role)));
}

/** The names of the tables, for whoever watches them. */
export const tableNames = (settings: Settings): string[] => NAMES.map((name) => tableName(settings, name));
