import { describe, expect, test } from 'vitest';
import { LAST_VERSION } from '../../lib/domain/migrations/index.ts';
import { makeApp, ofType, resourcesIn } from './stack.ts';

const resources = resourcesIn(makeApp().stack);
const [[migratedId, migrated] = ['', undefined]] = ofType(resources, 'Custom::TablesMigrated');
const text = (value: unknown): string => JSON.stringify(value);
const migration = text(migrated?.Properties['ServiceToken']).match(/UpgradeMigrationFunction\w+/)?.[0] ?? 'none';

describe('the tables of a deployed installation', () => {
  test('are migrated when a version with another schema is deployed', () => {
    expect(migrated?.Properties).toMatchObject({ name: 'weft', schema: LAST_VERSION });
  });

  test('are migrated after all other resources, so that no later failure rolls the functions back', () => {
    const { DependsOn: waits = [] } = resources[migratedId] as unknown as { DependsOn: string[] };
    const others = Object.keys(resources).filter((id) => !id.startsWith('Upgrade') && id !== 'CDKMetadata');
    expect(others.filter((id) => id.startsWith('Functions')).length).toBeGreaterThan(10);
    expect(others.filter((id) => !waits.includes(id))).toEqual([]);
  });

  test('are migrated once a day, if the deployment had no time for all items', () => {
    const rules = ofType(resources, 'AWS::Events::Rule').filter(([, rule]) =>
      text(rule.Properties['Targets']).includes(migration),
    );
    expect(rules.map(([, { Properties }]) => Properties['ScheduleExpression'])).toEqual(['rate(1 day)']);
  });

  test('are scanned by no other function', () => {
    const scanning = ofType(resources, 'AWS::IAM::Policy').filter(([, policy]) =>
      text(policy).includes('dynamodb:Scan'),
    );
    expect(scanning.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['UpgradeMigrationRoleDefaultPolicy']);
  });
});
