import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateBackupCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableFromBackupCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { keyNames, tableSchemas } from '../../lib/adapters/portable/schema.ts';

const POLL_MS = 200;
const MAX_POLLS = 3000;

/** Backups of the tables of an installation, and their restore under the same names (docs/restoring.md). */
export class TableBackups {
  readonly #client: DynamoDBClient;
  readonly #backups = new Map<string, string>();

  constructor(client: DynamoDBClient) {
    this.#client = client;
  }

  /** Makes a backup of each table of the installation, one after the other: each has another instant. */
  async take(installation: string): Promise<void> {
    for (const name of Object.keys(tableSchemas)) {
      const TableName = `${installation}-${name}`;
      const made = await this.#client.send(new CreateBackupCommand({ TableName, BackupName: `${TableName}-drill` }));
      this.#backups.set(TableName, made.BackupDetails?.BackupArn ?? '');
    }
  }

  /** Replaces each table by its backup. The service must be destroyed. */
  async restore(): Promise<void> {
    for (const [TableName, BackupArn] of this.#backups) {
      await this.#client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
      await this.#client.send(new DeleteTableCommand({ TableName }));
      await this.#until(TableName, undefined);
      await this.#client.send(new RestoreTableFromBackupCommand({ TargetTableName: TableName, BackupArn }));
      await this.#until(TableName, 'ACTIVE');
      await this.#protect(TableName);
    }
  }

  /** A restored table has none of these settings. */
  async #protect(TableName: string): Promise<void> {
    const TimeToLiveSpecification = { AttributeName: keyNames.expiry, Enabled: true };
    await this.#client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await this.#client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    await this.#client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
  }

  /** Waits until the table has this status; undefined: until it does not exist. */
  async #until(TableName: string, status: string | undefined): Promise<void> {
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      const found = await this.#client.send(new DescribeTableCommand({ TableName })).then(
        ({ Table }) => Table?.TableStatus,
        (error: Error) => {
          if (error.name !== 'ResourceNotFoundException') throw error;
          return undefined;
        },
      );
      if (found === status) return;
      await sleep(POLL_MS);
    }
    throw new Error(`the table ${TableName} is not ${status ?? 'deleted'} after ${(POLL_MS * MAX_POLLS) / 60_000} min`);
  }
}
