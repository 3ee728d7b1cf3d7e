import { type CfnRule, EventBus, EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { type IRole, Role } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Failed } from '../functions/failed.ts';
import type { WeftFunction } from '../functions/function.ts';
import { acknowledge } from '../rights/acknowledgements.ts';
import { allow } from '../rights/rights.ts';
import type { Inbound, Outbound, Settings } from '../settings/settings.ts';

/** Waits, then publishes; what lib/adapters/aws/bus.ts starts with `{at, source, type, detail}`. */
const delayOf = (busName: string) => ({
  Comment: 'Publishes an event at its time',
  QueryLanguage: 'JSONata',
  StartAt: 'Wait',
  States: {
    Wait: { Type: 'Wait', Timestamp: '{% $states.input.at %}', Next: 'Publish' },
    Publish: {
      Type: 'Task',
      // Of its own accord this form fails when an entry is refused.
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
      // About a day.
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
 * The event bus, open both ways (docs/open-bus.md): one static rule takes what namespaces publish to the router; further
 * rules bring events of other buses into namespaces, and take events of namespaces to other targets.
 */
export class Bus extends Construct {
  readonly bus: EventBus;
  readonly #delay: StateMachine;
  readonly #source: string;

  constructor(scope: Construct, id: string, { name, brand }: Settings) {
    super(scope, id);
    this.#source = `${brand}.namespaces`;
    const description = 'Events of namespaces, on their way to workflows and to whoever subscribes';
    this.bus = new EventBus(this, 'Bus', { eventBusName: name, description });
    this.#delay = new StateMachine(this, 'Delay', {
      // No name of a workflow's machine: those begin with the installation's name and a hyphen.
      stateMachineName: `${name}_delay`,
      comment: 'Events that are to be published later',
      definitionBody: DefinitionBody.fromString(JSON.stringify(delayOf(name))),
    });
    allow(this.#delay.role, 'events', ['PutEvents'], [this.bus.eventBusArn]);
    acknowledge(this.#delay, {
      SF1: 'Its log would hold the events of users, and say nothing that its history does not.',
      SF2: 'It calls nothing but the bus: there is nothing to trace.',
    });
  }

  /** Where functions find the bus. */
  get environment(): Record<string, string> {
    return {
      WEFT_BUS: this.bus.eventBusName,
      WEFT_EVENT_SOURCE: this.#source,
      WEFT_DELAY_MACHINE: this.#delay.stateMachineArn,
    };
  }

  /** Lets a role publish, now and later. */
  grant(role: IRole): void {
    allow(role, 'events', ['PutEvents'], [this.bus.eventBusArn]);
    allow(role, 'states', ['StartExecution'], [this.#delay.stateMachineArn]);
  }

  /** Every event of a namespace goes to the router, which knows who listens. */
  route(router: WeftFunction, failed: Failed): void {
    failed.catch(router);
    failed.rule(this, 'Route', {
      calls: router,
      description: 'Events of namespaces',
      eventBus: this.bus,
      eventPattern: { source: [this.#source] },
    });
  }

  /** Events of other buses go into namespaces: `{namespace, event}` to the function that takes them in. */
  bring(inbound: readonly Inbound[], entrance: WeftFunction, failed: Failed): void {
    failed.catch(entrance);
    for (const [index, { namespace, bus = 'default', pattern }] of inbound.entries()) {
      const rule = failed.rule(this, `Inbound${index}`, {
        calls: entrance,
        description: `Events for the namespace ${namespace}`,
        eventBus: EventBus.fromEventBusName(this, `InboundBus${index}`, bus),
        input: RuleTargetInput.fromObject({ namespace, event: EventField.fromPath('$') }),
        eventPattern: ANY,
      });
      setPattern(rule, pattern);
    }
  }

  /** Events of namespaces go to targets, each of which has to let the rules of the bus in. */
  take(outbound: readonly Outbound[], failed: Failed): void {
    for (const [index, { namespaces, types, target, role }] of outbound.entries()) {
      const deliverer = role === undefined ? undefined : Role.fromRoleArn(this, `OutboundRole${index}`, role);
      const rule = new Rule(this, `Outbound${index}`, {
        description: 'Events of namespaces for a subscriber',
        eventBus: this.bus,
        eventPattern: ANY,
        targets: [failed.target(target, deliverer)],
      });
      setPattern(rule, {
        source: [this.#source],
        ...(types && { 'detail-type': types }),
        // When the router goes on among many listeners, that is no news for anybody else.
        detail: { round: [{ exists: false }], ...(namespaces && { namespace: namespaces }) },
      });
    }
  }
}

/** A rule must be made with a pattern; this one does not stay. */
const ANY = { source: [''] };

/** Puts a pattern in place as EventBridge writes it, with all its operators. */
function setPattern(rule: Rule, pattern: object): void {
  (rule.node.defaultChild as CfnRule).eventPattern = pattern;
}
