import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Pod, ServiceRecord, ServiceReply } from '../../../clients/api/operations.ts';
import type { ApiError } from '../../data/api/errors.ts';
import { useRead, useReloads } from '../../data/api/live.ts';
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

async function allPods({ source, service, revisions }: PodsProps): Promise<readonly Pod[]> {
  const used = revisions.filter(({ traffic = 0 }) => traffic > 0);
  return (await Promise.all(used.map(({ revision }) => podsOf(source, service, revision)))).flat();
}

/** The output of a container from now on. */
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

/** The running containers of a service with their output. */
export function Pods(props: PodsProps) {
  const { source, service, revisions } = props;
  const open = useSignal('');
  const loaded = useRead(['pods', source, service.serviceName], () => allPods(props), revisions);
  useReloads(loaded);
  const { value: pods, error } = loaded;
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
