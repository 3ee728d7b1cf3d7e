import type { RouterReply } from '../../../../clients/api/operations.ts';
import { call } from '../../../data/api/client.ts';
import { useEdit } from '../../../data/api/edit.ts';
import type { Loaded } from '../../../data/api/live.ts';
import { may } from '../../../data/api/session.ts';
import { useTask } from '../../../data/api/task.ts';
import { cutMiddle } from '../../../data/format/text.ts';
import { Button } from '../../../parts/button/button.tsx';
import { type Division, DivisionForm } from '../../../parts/form/division.tsx';
import { Section } from '../../../parts/head/head.tsx';
import { ErrorNote } from '../../../parts/note/note.tsx';
import { say } from '../../../parts/toast/toast.tsx';

interface TrafficProps {
  readonly namespace: string;
  readonly path: string;
  readonly router: Loaded<RouterReply>;
  /** Tags and kept revisions. */
  readonly refs: readonly string[];
}

const shown = (ref: string): string => cutMiddle(ref, 12, 6);

/** The present division of starts, in words or as a bar. */
function Present({ routes }: { readonly routes: RouterReply['routes'] }) {
  if (routes.length === 0)
    return (
      <p>
        All starts use <code>latest</code>.
      </p>
    );
  const all = routes.reduce((sum, { weight }) => sum + weight, 0) || 1;
  return (
    <div class="traffic-bar" role="img" aria-label={routes.map(({ ref, weight }) => `${ref} ${weight}`).join(', ')}>
      {routes.map(({ ref, weight }) => (
        <span key={ref} style={{ flexGrow: weight / all }}>
          {shown(ref)} {Math.round((weight / all) * 100)} %
        </span>
      ))}
    </div>
  );
}

/** The present division; without one, a division to begin with. */
function divisionOf([one, two]: RouterReply['routes'], refs: readonly string[]): Division {
  const first = one?.ref ?? 'latest';
  const second = two?.ref ?? refs.find((ref) => ref !== first) ?? '';
  return { first, second, share: one === undefined || two === undefined ? 80 : one.weight };
}

function Form({ namespace, path, router, refs }: TrafficProps) {
  const reply = router.value.value;
  const edit = useEdit(divisionOf(reply?.routes ?? [], refs), reply);
  const task = useTask();
  const live = reply?.live ?? true;
  const divide = async (route: RouterReply['routes']) => {
    await call('editRouter', { namespace, node: path }, { body: { live, route } });
    say(route.length === 0 ? 'All starts use the latest' : 'Starts are divided');
    router.reload();
  };
  const divided = ({ first, second, share }: Division) =>
    divide([
      { ref: first, weight: share },
      { ref: second, weight: 100 - share },
    ]);
  const choices = refs.map((ref) => ({ value: ref, label: shown(ref) }));
  const more = (reply?.routes.length ?? 0) > 0 && (
    <Button kind="bare" onClick={() => void task.run(() => divide([]))}>
      All to the latest
    </Button>
  );
  return <DivisionForm {...{ edit, choices, task, more }} least={1} work={divided} act="Divide starts" />;
}

/** The division of starts among two revisions. */
export function TrafficSection(props: TrafficProps) {
  const { router, refs } = props;
  const reply = router.value.value;
  return (
    <Section title="Traffic">
      <div class="traffic">
        {router.error.value && <ErrorNote title="The traffic cannot be shown" error={router.error.value} />}
        {reply !== undefined && <Present routes={reply.routes} />}
        {refs.length < 2 ? (
          <p class="quiet">Keep or tag a second revision to divide starts among two of them.</p>
        ) : (
          may('editRouter') && <Form {...props} />
        )}
      </div>
    </Section>
  );
}
