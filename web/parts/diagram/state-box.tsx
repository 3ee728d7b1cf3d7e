import { numeric } from '../../data/format/text.ts';
import { Icon } from '../icon/icon.tsx';
import type { PlacedState } from './layout.ts';
import { iconOf } from './shapes.ts';
import type { Way } from './way.ts';

interface StateBoxProps {
  readonly state: PlacedState;
  readonly way: Way | undefined;
  readonly isEntry: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (() => void) | undefined;
}

function visitsOf({ id, chain }: PlacedState, way: Way | undefined): number {
  if (way === undefined) return 0;
  return Math.max(...[id, ...chain].map((one) => way.visits.get(one) ?? 0));
}

function classOf({ state, way, isEntry, isChosen }: StateBoxProps, visits: number): string {
  const isCurrent = way !== undefined && (way.current === state.id || state.chain.includes(way.current ?? ''));
  const marks = [
    way === undefined ? '' : visits > 0 ? 'visited' : 'faint',
    isCurrent ? `current ${way.mood}` : '',
    isEntry ? 'entry' : '',
    state.isEnd ? 'end' : '',
    state.isCause ? 'cause' : '',
    isChosen ? 'chosen' : '',
  ];
  return ['state', ...marks.filter(Boolean)].join(' ');
}

/** One state: the icon of its type, its name, and the number of visits. */
export function StateBox(props: StateBoxProps) {
  const { state, way, onChoose, isChosen } = props;
  const visits = visitsOf(state, way);
  const place = {
    left: `${state.x - state.width / 2}px`,
    top: `${state.y - state.height / 2}px`,
    width: `${state.width}px`,
    height: `${state.height}px`,
  };
  const title = state.isCause ? `${state.id}: from any state` : `${state.id} (${state.type})`;
  const content = (
    <>
      <Icon name={iconOf(state.type)} />
      <span class="cut">{state.id}</span>
      {visits > 1 && (
        <span class="badge">
          <span class="unseen">, entered </span>×{numeric(visits)}
        </span>
      )}
    </>
  );
  const look = classOf(props, visits);
  return onChoose === undefined ? (
    <div class={look} style={place} title={title}>
      {content}
    </div>
  ) : (
    <button type="button" class={look} style={place} title={title} aria-pressed={isChosen} onClick={onChoose}>
      {content}
    </button>
  );
}
