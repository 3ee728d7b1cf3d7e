import { type CfnRule, EventBus, EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { type IRole, Role } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { DeadLetters } from '../functions/dead-letters.ts';
import type { WeftFunction } from '../functions/function.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Inbound, Outbound, Settings } from '../settings/settings.ts';

/** A state machine that waits and then publishes an event; lib/adapters/aws/bus.ts starts it with `{at, source, type, detail}`. */
const delayMachine = (busName: string) => ({
  Comment: 'Publishes an event at a given time',
  QueryLanguage: 'JSONata',
  StartAt: 'Wait',
  States: {
    Wait: { Type: 'Wait', Timestamp: '{% $states.input.at %}', Next: 'Publish' },
    Publish: {
      Type: 'Task',
      // This integration fails by itself if an entry is rejected.
      Resource: 'arn:aws:states:::events:putEvents',
      Arguments: {
        Entries: [
          {
            EventBusName: busName,
            Source: '{% $states.input.source %}',
            DetailType: '{% $states.input.type %}',
            Detail: '{% $states.input.detail %}',
          },
        ],
      },
      // In total about a day.
      Retry: [
        {
          ErrorEquals: ['States.ALL'],
          IntervalSeconds: 2,
          BackoffRate: 2,
          MaxDelaySeconds: 3600,
          MaxAttempts: 34,
          JitterStrategy: 'FULL',
        },
      ],
      End: true,
    },
  },
});

/**
 * The event bus (docs/open-bus.md): one static rule sends the events of namespaces to the router. Further rules send events
 * of other buses to namespaces, and events of namespaces to other targets.
 */
export class Bus extends Construct {
  readonly bus: EventBus;
  readonly #delay: StateMachine;
  readonly #source: string;

  constructor(scope: Construct, id: string, { name, brand }: Settings) {
    super(scope, id);
    this.#source = `${brand}.namespaces`;
    const description = 'Events of namespaces, for workflows and other subscribers';
    this.bus = new EventBus(this, 'Bus', { eventBusName: name, description });
    this.#delay = new StateMachine(this, 'Delay', {
      // The names of workflows' machines begin with the installation's name and a hyphen.
      stateMachineName: `${name}_delay`,
      comment: 'Publishes delayed events',
      definitionBody: DefinitionBody.fromString(JSON.stringify(delayMachine(name))),
    });
    allow(this.#delay.role, 'events', ['PutEvents'], [this.bus.eventBusArn]);
    acknowledge(this.#delay, {
      SF1: 'Its log would contain events of users, and nothing else that is not in its history.',
      SF2: 'It calls only the bus: there is nothing to trace.',
    });
  }

  /** The environment variables with the bus and the delay machine. */
  get environment(): Record<string, string> {
    return {
      WEFT_BUS: this.bus.eventBusName,
      WEFT_EVENT_SOURCE: this.#source,
      WEFT_DELAY_MACHINE: this.#delay.stateMachineArn,
    };
  }

  /** Allows a role to publish events, also delayed ones. */
  grant(role: IRole): void {
    allow(role, 'events', ['PutEvents'], [this.bus.eventBusArn]);
    allow(role, 'states', ['StartExecution'], [this.#delay.stateMachineArn]);
  }

  /** Sends every event of a namespace to the router, which finds the listeners. */
  routeTo(router: WeftFunction, deadLetters: DeadLetters): void {
    deadLetters.catchFailuresOf(router);
    deadLetters.addRule(this, 'Route', {
      calls: router,
      description: 'Events of namespaces',
      eventBus: this.bus,
      eventPattern: { source: [this.#source] },
    });
  }

  /** Sends events of other buses to namespaces: the function gets `{namespace, event}`. */
  addInbound(inbound: readonly Inbound[], receiver: WeftFunction, deadLetters: DeadLetters): void {
    deadLetters.catchFailuresOf(receiver);
    for (const [index, { namespace, bus = 'default', pattern }] of inbound.entries()) {
      const rule = deadLetters.addRule(this, `Inbound${index}`, {
        calls: receiver,
        description: `Events for the namespace ${namespace}`,
        eventBus: EventBus.fromEventBusName(this, `InboundBus${index}`, bus),
        input: RuleTargetInput.fromObject({ namespace, event: EventField.fromPath('$') }),
        eventPattern: PLACEHOLDER,
      });
      setPattern(rule, pattern);
    }
  }

  /** Sends events of namespaces to targets. The policy of each target must allow it. */
  addOutbound(outbound: readonly Outbound[], deadLetters: DeadLetters): void {
    for (const [index, { namespaces, types, target, role }] of outbound.entries()) {
      const deliveryRole = role === undefined ? undefined : Role.fromRoleArn(this, `OutboundRole${index}`, role);
      const rule = new Rule(this, `Outbound${index}`, {
        description: 'Events of namespaces for a subscriber',
        eventBus: this.bus,
        eventPattern: PLACEHOLDER,
        targets: [deadLetters.ruleTarget(target, deliveryRole)],
      });
      setPattern(rule, {
        source: [this.#source],
        ...(types && { 'detail-type': types }),
        // The router publishes an event again to continue with many listeners; these are no new events for subscribers.
        detail: { round: [{ exists: false }], ...(namespaces && { namespace: namespaces }) },
      });
    }
  }
}

/** A rule cannot be created without a pattern; this one is replaced. */
const PLACEHOLDER = { source: [''] };

/** Sets the pattern of a rule with all operators of EventBridge. */
function setPattern(rule: Rule, pattern: object): void {
  (rule.node.defaultChild as CfnRule).eventPattern = pattern;
}
