import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { keyNames, type TableSchema, tableSchemas } from '../../lib/adapters/portable/schema.ts';
import { API_KEYS } from '../../lib/domain/storage/keys.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import { encryptionKeyOf, grantEncryptionKey } from '../rights/encryption.ts';
import type { Settings } from '../settings/settings.ts';

type Name = keyof typeof tableSchemas;

const NAMES = Object.keys(tableSchemas) as Name[];

/** The actions of the table port. A transaction needs the rights of its parts. */
const READ = ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'Query'];
const WRITE = ['DeleteItem', 'PutItem', 'UpdateItem'];

/** The write access of a function to the tables; it may read all of them. */
export interface TableAccess {
  readonly writes: readonly Name[];
  /** Also API keys, which are items of the catalog. */
  readonly writesKeys: boolean;
}

/** The partition of the API keys (lib/domain/storage/keys.ts). */
const NOT_API_KEYS = { 'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': [API_KEYS.pk] } };

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** Tables are found by their names, so that the data stack exports nothing to the service stack. */
const tableName = ({ name: installation }: Settings, name: Name): string => `${installation}-${name}`;

/** The tables: retained with `retain`; with `protect` they have backups and deletion protection. */
export class Tables extends Construct {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    for (const name of NAMES) this.#make(name, settings);
  }

  #make(name: Name, settings: Settings): void {
    const { retain, protect } = settings;
    const encryptionKey = encryptionKeyOf(this, settings);
    const table = new Table(this, name, {
      tableName: tableName(settings, name),
      partitionKey: text(keyNames.partition),
      sortKey: text(keyNames.sort),
      timeToLiveAttribute: keyNames.expiry,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: protect },
      deletionProtection: protect,
      ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
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
    if (!protect) acknowledge(table, { DDB3: 'The setting `protect` is off: the data may be lost.' });
  }
}

/** The environment variables with the names of the tables: `WEFT_CATALOG` and so on. */
export function tablesEnvironment(settings: Settings): Record<string, string> {
  return Object.fromEntries(NAMES.map((name) => [`WEFT_${name.toUpperCase()}`, tableName(settings, name)]));
}

const arnsIn =
  (settings: Settings, role: IRole) =>
  (name: Name): string =>
    Stack.of(role).formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName(settings, name) });

/** Allows a role to read items, to query the indexes, and to write items of some tables. */
export function grantTables(settings: Settings, role: IRole, { writes, writesKeys }: TableAccess): void {
  grantEncryptionKey(settings, role);
  const arnOf = arnsIn(settings, role);
  const indexes = NAMES.flatMap((name) =>
    Object.keys(tableSchemas[name].indexes).map((index) => `${arnOf(name)}/index/${index}`),
  );
  allow(role, 'dynamodb', READ, NAMES.map(arnOf));
  allow(role, 'dynamodb', ['Query'], indexes);
  const others = writes.filter((name) => writesKeys || name !== 'catalog');
  allow(role, 'dynamodb', WRITE, others.map(arnOf));
  if (others.length === writes.length) return;
  const actions = WRITE.map((action) => `dynamodb:${action}`);
  role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [arnOf('catalog')], conditions: NOT_API_KEYS }));
}

/** Allows a role to scan all items, and to write them. */
export function grantInventory(settings: Settings, role: IRole): void {
  grantTables(settings, role, { writes: NAMES, writesKeys: true });
  allow(role, 'dynamodb', ['Scan'], NAMES.map(arnsIn(settings, role)));
}

/** The names of the tables. */
export const tableNames = (settings: Settings): string[] => NAMES.map((name) => tableName(settings, name));
