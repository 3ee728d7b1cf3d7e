import type { InstanceRecord } from '../../../clients/api/operations.ts';
import { may } from '../../data/api/session.ts';
import { setQuery } from '../../data/navigation/location.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import { Button } from '../../parts/button/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { CopyButton } from '../../parts/value/value.tsx';
import { type Queue, Queued } from './queued.tsx';
import { type CancelOn, CancelWords, type Wait, Waiting } from './waiting.tsx';

interface ReasonProps {
  readonly namespace: string;
  readonly instance: InstanceRecord;
  readonly wait: Wait | undefined;
  readonly cancelOn: CancelOn | undefined;
  readonly queue: Queue | undefined;
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

/** The reason of the run's status: its error, or its wait. */
export function Reason(props: ReasonProps) {
  const { instance, wait, cancelOn, queue, namespace } = props;
  const status = statusOf(instance);
  if (!isOver(instance)) {
    if (queue !== undefined) return <Queued {...{ namespace, queue }} />;
    if (wait !== undefined) return <Waiting {...{ namespace, wait, cancelOn }} instance={instance.id} />;
    if (cancelOn === undefined) return null;
    return (
      <div class="reason resting-reason">
        <Icon name="stop" />
        <CancelWords {...{ namespace, cancelOn }} />
      </div>
    );
  }
  return status === 'complete' ? null : <Failed {...props} />;
}
