import type { InstanceRecord, Listener } from '../../data/api/operations.ts';
import { may } from '../../data/api/session.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { setQuery } from '../../data/navigation/location.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import { Button, ButtonLink } from '../../parts/button/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { CopyButton, Time } from '../../parts/value/value.tsx';
import { NearMisses } from './near-misses.tsx';

interface ReasonProps {
  readonly namespace: string;
  readonly instance: InstanceRecord;
  readonly listener: Listener | undefined;
  readonly state: string | undefined;
  /** The number of the last recorded visit of the state. */
  readonly step: number | undefined;
}

function Failed({ instance, state, step }: ReasonProps) {
  const { errorCode, errorMessage } = instance;
  return (
    <div class="reason failed-reason" role="alert">
      <Icon name="cross" />
      <div class="grows">
        <p>
          <code class="strong">{errorCode || 'No error code'}</code>
          {state !== undefined && (
            <span class="quiet">
              {' '}
              in state <code>{state}</code>
            </span>
          )}
        </p>
        <p class="reason-message">{errorMessage}</p>
        {step !== undefined && state !== undefined && may('rerunInstance') && (
          <div class="reason-action">
            <Button icon="branch" onClick={() => setQuery({ repeat: String(step) })}>
              Edit data and run from {state}
            </Button>
          </div>
        )}
      </div>
      <CopyButton text={`${errorCode}: ${errorMessage}`} label="Copy the error" />
    </div>
  );
}

/** The attributes that an event must have, as a person reads them. */
function FilterWords({ filters }: { readonly filters: Readonly<Record<string, unknown>> }) {
  const pairs = Object.entries(filters);
  if (pairs.length === 0) return <> of any attributes</>;
  return (
    <>
      {' with '}
      {pairs.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>
            {name}={typeof value === 'string' ? value : JSON.stringify(value)}
          </code>
        </span>
      ))}
    </>
  );
}

const JOINS: Readonly<Record<Listener['mode'], string>> = { simple: '', and: ' and ', or: ' or ' };

function templateOf({ events }: Listener): Record<string, string> {
  const [first] = events;
  return first === undefined ? {} : { send: first.type, attributes: JSON.stringify(first.filters) };
}

function Waiting({ namespace, listener }: { readonly namespace: string; readonly listener: Listener }) {
  return (
    <div class="reason waiting-reason">
      <Icon name="wait" />
      <div class="grows">
        <p>
          Waits for{' '}
          {listener.events.map(({ type, filters }, index) => (
            <span key={`${type} ${JSON.stringify(filters)}`}>
              {index > 0 && JOINS[listener.mode]}
              <code class="strong">{type}</code>
              <FilterWords filters={filters} />
            </span>
          ))}{' '}
          since <Time at={listener.createdAt} />
        </p>
        <NearMisses namespace={namespace} listener={listener} />
      </div>
      {may('broadcastEvent') && (
        <ButtonLink icon="send" href={addresses.events(namespace, templateOf(listener))}>
          Send it
        </ButtonLink>
      )}
    </div>
  );
}

/** Why the run stands where it stands: its error, or what it waits for. */
export function Reason(props: ReasonProps) {
  const { instance, listener, namespace } = props;
  const status = statusOf(instance);
  if (!isOver(instance)) return listener === undefined ? null : <Waiting namespace={namespace} listener={listener} />;
  return status === 'complete' ? null : <Failed {...props} />;
}
