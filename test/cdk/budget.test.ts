import { expect, test } from 'vitest';
import { ofType, resourcesOf } from './stack.ts';

test.each([
  ['ada@example.com', 'EMAIL'],
  ['arn:aws:sns:eu-west-1:123456789012:alarms', 'SNS'],
])(
  '`budget` notifies %s before the costs of the account reach it, when they do, and when they will',
  (alarms, kind) => {
    const [[, found] = []] = ofType(resourcesOf({ budget: '50', alarms }), 'AWS::Budgets::Budget');
    const { Budget, NotificationsWithSubscribers: notifications } = found?.Properties ?? {};
    expect(Budget).toMatchObject({ TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } });
    expect(notifications).toMatchObject([
      { Notification: { NotificationType: 'ACTUAL', Threshold: 80 } },
      { Notification: { NotificationType: 'ACTUAL', Threshold: 100 } },
      { Notification: { NotificationType: 'FORECASTED', Threshold: 100 } },
    ]);
    for (const { Subscribers } of notifications as { readonly Subscribers: object }[]) {
      expect(Subscribers).toEqual([{ Address: alarms, SubscriptionType: kind }]);
    }
  },
);

test('without `budget` there is none', () => {
  expect(ofType(resourcesOf({ alarms: 'ada@example.com' }), 'AWS::Budgets::Budget')).toEqual([]);
});
