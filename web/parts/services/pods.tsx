import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Pod, ServiceRecord, ServiceReply } from '../../../clients/api/operations.ts';
import { every } from '../../data/api/asking.ts';
import { type ApiError, toApiError } from '../../data/api/errors.ts';
import { isPassing } from '../../data/api/reach.ts';
import { follow } from '../../data/api/streams.ts';
import { into } from '../../data/api/task.ts';
import { podsOf, type ServiceSource } from '../../data/services/source.ts';
import { Button } from '../button/button.tsx';
import { ErrorNote, Skeleton } from '../note/note.tsx';

interface PodsProps {
  readonly source: ServiceSource;
  readonly service: ServiceRecord;
  readonly revisions: ServiceReply['revisions'];
}

const AGAIN_MS = 3000;

async function allPods({ source, service, revisions }: PodsProps): Promise<readonly Pod[]> {
  const used = revisions.filter(({ traffic = 0 }) => traffic > 0);
  return (await Promise.all(used.map(({ revision }) => podsOf(source, service, revision)))).flat();
}

/** The output of a container, from now on. */
function Output({ pod }: { readonly pod: string }) {
  const text = useSignal('');
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(
    () =>
      follow(
        'watchPodLogs',
        { pod },
        {},
        {
          onOpen: () => into(text)(''),
          onFrame: ({ data }) => into(text)(text.peek() + data),
          onState: () => {},
          onError: into(error),
        },
      ),
    [pod, text, error],
  );
  if (error.value !== undefined) return <ErrorNote title="The output cannot be shown" error={error.value} />;
  return <pre class="pod-output">{text.value || 'Nothing yet.'}</pre>;
}

/** The containers that run for a service, each with its output. */
export function Pods(props: PodsProps) {
  const pods = useSignal<readonly Pod[] | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const open = useSignal('');
  useEffect(() => {
    const read = () => {
      allPods(props).then(
        (found) => {
          error.value = undefined;
          pods.value = found;
        },
        (failure: unknown) => {
          if (pods.peek() === undefined || !isPassing(toApiError(failure))) error.value = toApiError(failure);
        },
      );
    };
    read();
    return every(AGAIN_MS, read);
  }, [props.service, props.revisions, pods, error]);
  if (error.value !== undefined) return <ErrorNote title="What runs cannot be shown" error={error.value} />;
  if (pods.value === undefined) return <Skeleton />;
  if (pods.value.length === 0) return <p class="none">Nothing runs now. The next call starts a container.</p>;
  return (
    <ul class="pods">
      {pods.value.map(({ name, status }) => (
        <li key={name}>
          <div class="line">
            <code class="grows cut">{name}</code>
            <span>{status}</span>
            <Button kind="bare" icon="log" onClick={() => into(open)(open.value === name ? '' : name)}>
              Output
            </Button>
          </div>
          {open.value === name && <Output pod={name} />}
        </li>
      ))}
    </ul>
  );
}
