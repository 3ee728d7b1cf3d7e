import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ApiError } from '../../data/api/errors.ts';
import { useModule } from '../../data/loading/module.ts';
import type { EdgeKind, Graph } from '../../data/workflow/graph.ts';
import { Button } from '../button/button.tsx';
import { NotLoaded } from '../note/note.tsx';
import { foldChains } from './chains.ts';
import type { Layout, PlacedEdge, PlacedState } from './layout.ts';
import { arrowHead, curve } from './shapes.ts';
import { StateBox } from './state-box.tsx';
import { fit, handle, roomWithTools, type Size, scaleOf, type View, zoom } from './view.ts';
import type { Way } from './way.ts';

export type { Way } from './way.ts';

interface DiagramProps {
  readonly graph: Graph;
  readonly label: string;
  readonly way?: Way | undefined;
  readonly chosen?: string | undefined;
  readonly onChoose?: ((state: string) => void) | undefined;
  /** It cannot be moved or scaled. */
  readonly isStill?: boolean;
}

const KINDS: Readonly<Record<EdgeKind, string>> = {
  next: 'then',
  condition: 'if',
  default: 'otherwise',
  event: 'on the event',
  error: 'on the error',
  handler: 'handled there',
};

function Edge({ edge, way }: { readonly edge: PlacedEdge; readonly way: Way | undefined }) {
  const isTaken = (way?.taken.get(`${edge.from}>${edge.to}`) ?? 0) > 0;
  const look = `edge ${edge.kind}${way === undefined ? '' : isTaken ? ' taken' : ' faint'}`;
  return (
    <g class={look}>
      <title>{`${edge.from} to ${edge.to}, ${KINDS[edge.kind]} ${edge.label}`.trim()}</title>
      <path class="edge-room" d={curve(edge.points)} />
      <path class="edge-line" d={curve(edge.points)} />
      <path class="edge-head" d={arrowHead(edge.points)} />
      {edge.text && (
        <text class="edge-label" x={edge.text.x} y={edge.text.y}>
          {edge.text.words}
        </text>
      )}
    </g>
  );
}

type Frame = { readonly current: HTMLElement | null };

const sizeOf = ({ current }: Frame): Size => ({ width: current?.clientWidth ?? 0, height: current?.clientHeight ?? 0 });

/** At this scale or more, the direction is from left to right; else the direction with the larger scale. */
const GOOD_SCALE = 0.92;

const load = () => import('./layout.ts');

interface Placed {
  readonly layout: Layout | undefined;
  readonly error: ApiError | undefined;
}

/** Places the graph when the layout code is loaded. */
function useLayout(graph: Graph, opened: ReadonlySet<string>, frame: Frame, hasLabels: boolean): Placed {
  const layout = useSignal<Layout | undefined>(undefined);
  const { module, error } = useModule(load);
  useEffect(() => {
    if (module === undefined) return;
    const { graph: folded, chains } = foldChains(graph, opened);
    const room = sizeOf(frame);
    const across = module.place(folded, { direction: 'LR', chains, hasLabels });
    if (scaleOf(across, room) >= GOOD_SCALE) {
      layout.value = across;
      return;
    }
    const down = module.place(folded, { direction: 'TB', chains, hasLabels });
    layout.value = scaleOf(down, room) > scaleOf(across, room) ? down : across;
  }, [module, graph, opened, layout, frame, hasLabels]);
  return { layout: layout.value, error };
}

const boxOf = (layout: Layout, id: string | undefined): PlacedState | undefined =>
  layout.states.find((state) => state.id === id || (id !== undefined && state.chain.includes(id)));

interface Camera {
  readonly view: Signal<View>;
  /** The user has moved the drawing: it is no longer fitted. */
  readonly isTouched: Signal<boolean>;
  readonly isStill: boolean;
}

const roomOf = (frame: Frame, layout: Layout, isStill: boolean): Size =>
  layout.direction === 'LR' || isStill ? sizeOf(frame) : roomWithTools(layout, sizeOf(frame));

/** Fits the drawing to its frame until the user moves it. */
function useFitting(frame: Frame, layout: Layout | undefined, focus: string | undefined, camera: Camera): void {
  const { view, isTouched, isStill } = camera;
  useEffect(() => {
    const element = frame.current;
    if (element === null || layout === undefined) return undefined;
    const adapt = () => {
      if (isTouched.peek() || element.clientWidth === 0) return;
      view.value = fit(layout, roomOf(frame, layout, isStill), boxOf(layout, focus) ?? layout.states[0]);
    };
    adapt();
    const observer = new ResizeObserver(adapt);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, layout, focus, view, isTouched, isStill]);
}

const STEP = 1.3;

function Tools({
  frame,
  layout,
  camera,
}: {
  readonly frame: Frame;
  readonly layout: Layout | undefined;
  readonly camera: Camera;
}) {
  const { view, isTouched } = camera;
  const scaled = (factor: number) => () => {
    const { width, height } = sizeOf(frame);
    isTouched.value = true;
    view.value = zoom(view.value, factor, { x: width / 2, y: height / 2 });
  };
  const whole = () => {
    isTouched.value = true;
    if (layout !== undefined) view.value = fit(layout, roomOf(frame, layout, false));
  };
  return (
    <div class="diagram-tools">
      <Button kind="bare" icon="plus" label="Larger" onClick={scaled(STEP)} />
      <Button kind="bare" icon="minus" label="Smaller" onClick={scaled(1 / STEP)} />
      <Button kind="bare" icon="fit" label="All in sight" onClick={whole} />
    </div>
  );
}

function useCamera(frame: Frame, isStill: boolean): Camera {
  const view = useSignal<View>({ x: 0, y: 0, scale: 1 });
  const isTouched = useSignal(false);
  useEffect(
    () => (frame.current === null || isStill ? undefined : handle(frame.current, view, isTouched)),
    [frame, view, isTouched, isStill],
  );
  return useMemo(() => ({ view, isTouched, isStill }), [view, isTouched, isStill]);
}

/** States in layers; the path of a run is strong, other states are faint. */
export function Diagram({ graph, label, way, chosen, onChoose, isStill = false }: DiagramProps) {
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const frame = useRef<HTMLElement>(null);
  const { layout, error } = useLayout(graph, opened.value, frame, !isStill);
  const camera = useCamera(frame, isStill);
  useFitting(frame, layout, chosen ?? way?.current, camera);
  const open = (state: PlacedState) => {
    opened.value = new Set([...opened.value, state.chain[0] ?? '']);
  };
  const chooserOf = (state: PlacedState) => {
    if (state.chain.length > 0) return () => open(state);
    return state.isCause ? undefined : onChoose && (() => onChoose(state.id));
  };
  const { x, y, scale } = camera.view.value;
  const edges = useMemo(
    () => layout?.edges.map((edge, index) => <Edge key={`${edge.from} ${edge.to} ${index}`} edge={edge} way={way} />),
    [layout, way],
  );
  return (
    <figure class={`diagram${isStill ? ' still' : ''}`} aria-label={label} ref={frame}>
      {error !== undefined && <NotLoaded error={error} />}
      {layout !== undefined && (
        <div
          class={`diagram-world ${layout.direction}`}
          style={{ transform: `scale(${scale}) translate(${-x}px, ${-y}px)` }}
        >
          <svg class="diagram-edges" width={layout.width} height={layout.height} aria-hidden="true">
            {edges}
          </svg>
          {layout.states.map((state) => (
            <StateBox
              key={state.id}
              state={state}
              way={way}
              isEntry={state.id === graph.entry || (graph.entry !== undefined && state.chain[0] === graph.entry)}
              isChosen={state.id === chosen || (chosen !== undefined && state.chain.includes(chosen))}
              onChoose={chooserOf(state)}
            />
          ))}
        </div>
      )}
      {!isStill && <Tools frame={frame} layout={layout} camera={camera} />}
    </figure>
  );
}
