import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';
import { isMailAddress } from '../settings/readers.ts';

/** At which parts of the budget there is a notification, percent. */
const PERCENTS = { actual: [80, 100], forecast: [100] } as const;

export interface BudgetProps {
  readonly name: string;
  /** US dollars a month. */
  readonly limit: number;
  /** A mail address or the ARN of a topic. */
  readonly recipient: string;
}

/** A monthly budget for the costs of the account, with notifications before and when they exceed it. */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { name, limit, recipient }: BudgetProps) {
    super(scope, id);
    const subscriptionType = isMailAddress(recipient) ? 'EMAIL' : 'SNS';
    const notify = (notificationType: string, threshold: number) => ({
      notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ address: recipient, subscriptionType }],
    });
    new CfnBudget(this, 'Month', {
      budget: {
        budgetName: name,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: limit, unit: 'USD' },
      },
      notificationsWithSubscribers: [
        ...PERCENTS.actual.map((percent) => notify('ACTUAL', percent)),
        ...PERCENTS.forecast.map((percent) => notify('FORECASTED', percent)),
      ],
    });
  }
}
