import { describe, expect, test } from 'vitest';
import { grantsFor, iamIn } from '../../../lib/domain/credentials/iam.ts';

const ACCOUNT = 'arn:aws:iam::123456789012';
const GIVEN = { audience: 'flows.example.com', principals: { [`${ACCOUNT}:role/deployers`]: 'write' } };

describe('the settings of IAM', () => {
  test('are an object or its text, and the grant of a principal may be its permission alone', () => {
    const settings = { ...GIVEN, principals: { [`${ACCOUNT}:role/deployers`]: { permission: 'write' } } };
    expect(iamIn(GIVEN)).toEqual(settings);
    expect(iamIn(JSON.stringify(GIVEN))).toEqual(settings);
  });

  const ofPrincipal = (principal: string) => ({ principals: { [principal]: 'read' } });

  test.each([
    [{ audience: undefined }, "audience is ''; it must be the host of the service"],
    [{ audience: 'a b' }, "audience is 'a b'"],
    [{ principals: {} }, 'principals has none'],
    [{ principals: { [`${ACCOUNT}:root`]: 'root' } }, `the principal '${ACCOUNT}:root' has no permission`],
    [ofPrincipal('arn:aws:iam::*:role/deployers'), "'arn:aws:iam::*:role/deployers' is no principal"],
    [ofPrincipal('*'), "'*' is no principal"],
    [ofPrincipal(`${ACCOUNT}:*`), 'is no principal'],
    [ofPrincipal(`${ACCOUNT}:group/ops`), 'is no principal'],
    [ofPrincipal('arn:aws:sts::123456789012:assumed-role/a/b'), 'is no principal'],
    [ofPrincipal(`${ACCOUNT}:role/teams/a/ops`), `which STS leaves out: write '${ACCOUNT}:role/ops'`],
    [{ roles: {} }, "'roles' is no member; the members are audience, principals"],
  ])('are refused: %j', (wrong, reason) => {
    expect(() => iamIn(JSON.parse(JSON.stringify({ ...GIVEN, ...wrong })))).toThrow(reason);
  });

  test('are refused if they are no object', () => {
    expect(() => iamIn('[]')).toThrow('it is no object with audience, principals');
  });
});

test.each([
  [':role/deployers', 'arn:aws:sts::123456789012:assumed-role/deployers/ada', true],
  [':role/deployers', 'arn:aws:sts::123456789012:assumed-role/deployers-2/ada', false],
  [':role/deployers', 'arn:aws:sts::123456789012:assumed-role/other/deployers', false],
  [':role/deployers', 'arn:aws:sts::999999999999:assumed-role/deployers/ada', false],
  [':role/deployers', 'arn:aws-cn:sts::123456789012:assumed-role/deployers/ada', false],
  [':role/deployers', 'arn:aws:iam::123456789012:user/deployers', false],
  [':role/team-*', 'arn:aws:sts::123456789012:assumed-role/team-a/ci', true],
  [':role/*', 'arn:aws:iam::123456789012:user/role', false],
  [':user/ada', 'arn:aws:iam::123456789012:user/ada', true],
  [':user/ops/*', 'arn:aws:iam::123456789012:user/ops/eve', true],
  [':user/eve', 'arn:aws:iam::123456789012:user/ops/eve', false],
  [':root', 'arn:aws:sts::123456789012:assumed-role/any/one', true],
  [':root', 'arn:aws:iam::123456789012:user/ops/eve', true],
  [':root', 'arn:aws:sts::123456789012:federated-user/eve', true],
  [':root', 'arn:aws:iam::123456789012:root', true],
  [':root', 'arn:aws:iam::999999999999:root', false],
  [':root', 'arn:aws:iam::999999999999:user/arn:aws:iam::123456789012:root', false],
  [':root', '', false],
])('the principal %s includes %s: %s', (principal, arn, wanted) => {
  const { principals } = iamIn({ ...GIVEN, principals: { [ACCOUNT + principal]: 'read' } });
  expect(grantsFor({ principals }, arn).length).toBe(wanted ? 1 : 0);
});
