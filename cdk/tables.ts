import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { keyNames, type TableSchema, tableSchemas } from '../lib/adapters/aws/schema.ts';
import { acknowledge } from './acknowledgements.ts';
import { allow } from './rights.ts';
import type { Settings } from './settings.ts';

type Name = keyof typeof tableSchemas;

/** What the table port does; a transaction asks for the rights of its parts. */
const ACTIONS = ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The tables: the catalog is what users made, and is kept and backed up; runs and the journal go by themselves. */
export class Tables extends Construct {
  readonly #tables: ReadonlyMap<Name, Table>;

  constructor(scope: Construct, id: string, { retain }: Settings) {
    super(scope, id);
    const names = Object.keys(tableSchemas) as Name[];
    this.#tables = new Map(names.map((name) => [name, this.#table(name, retain && name === 'catalog')]));
  }

  /** Where functions find the tables: `WEFT_CATALOG` and so on. */
  get environment(): Record<string, string> {
    const entries = [...this.#tables].map(([name, { tableName }]) => [`WEFT_${name.toUpperCase()}`, tableName]);
    return Object.fromEntries(entries);
  }

  /** Lets a role read and write items, and query the indexes that there are. */
  grant(role: IRole): void {
    const tables = [...this.#tables];
    const indexes = tables.flatMap(([name, { tableArn }]) =>
      Object.keys(tableSchemas[name].indexes).map((index) => `${tableArn}/index/${index}`),
    );
    const arns = tables.map(([, { tableArn }]) => tableArn);
    allow(role, 'dynamodb', ACTIONS, arns);
    allow(role, 'dynamodb', ['Query'], indexes);
  }

  #table(name: Name, kept: boolean): Table {
    const table = new Table(this, name, {
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
    return table;
  }
}
