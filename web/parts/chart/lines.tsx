import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { into } from '../../data/api/task.ts';
import { theme } from '../../data/browser/theme.ts';
import { useModule } from '../../data/loading/module.ts';
import { NotLoaded } from '../note/note.tsx';
import type { Line, PlotOptions } from './plot.ts';

const load = () => import('./plot.ts');

interface LinesProps extends PlotOptions {
  readonly label: string;
}

function Legend({ lines, formatValue }: Pick<PlotOptions, 'lines' | 'formatValue'>) {
  const last = ({ values }: Line) => values.findLast((value) => value !== undefined);
  return (
    <ul class="legend">
      {lines.map((line) => {
        const value = last(line);
        return (
          <li key={line.name}>
            <span
              class={`legend-mark${line.isDashed ? ' dashed' : ''}`}
              style={{ '--mark': `var(${line.colour})` }}
              aria-hidden="true"
            />
            {line.name} {value !== undefined && <span class="quiet">{formatValue(value)}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Values over time as lines, redrawn when the colours change. */
export function Lines({ label, times, lines, formatValue }: LinesProps) {
  const host = useRef<HTMLDivElement>(null);
  const scheme = useSignal(0);
  useEffect(() => {
    const media = window.matchMedia('(prefers-color-scheme: dark)');
    const note = () => into(scheme)(scheme.peek() + 1);
    media.addEventListener('change', note);
    return () => media.removeEventListener('change', note);
  }, [scheme]);
  const { module, error } = useModule(load);
  useEffect(() => {
    if (module === undefined || host.current === null) return undefined;
    return module.openPlot(host.current, { times, lines, formatValue });
  }, [module, times, lines, formatValue, theme.value, scheme.value]);
  return (
    <figure class="lines" aria-label={label}>
      <Legend lines={lines} formatValue={formatValue} />
      {error !== undefined && <NotLoaded error={error} />}
      <div class="lines-plot" ref={host} role="img" aria-label={label} />
    </figure>
  );
}
