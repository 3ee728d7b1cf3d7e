import uPlot from 'uplot';

export interface Line {
  readonly name: string;
  /** The name of a token: `--ink`. */
  readonly colour: string;
  readonly isDashed?: boolean;
  /** One value for each time; undefined for a gap. */
  readonly values: readonly (number | undefined)[];
}

export interface PlotOptions {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly formatValue: (value: number) => string;
}

/** The colour of a token for a canvas; a hidden element resolves `light-dark()`. */
function resolved(host: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const HEIGHT = 180;
const HOURS_OF_DAYS = 40;

const two = (value: number): string => String(value).padStart(2, '0');

/** Times for up to 40 hours, else dates. */
function timeTexts(splits: readonly number[]): string[] {
  const hours = ((splits.at(-1) ?? 0) - (splits[0] ?? 0)) / 3600;
  return splits.map((seconds) => {
    const date = new Date(seconds * 1000);
    if (hours <= HOURS_OF_DAYS) return `${two(date.getHours())}:${two(date.getMinutes())}`;
    return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  });
}

function optionsFor(host: HTMLElement, { lines, formatValue }: PlotOptions): uPlot.Options {
  const font = `13px ${getComputedStyle(host).fontFamily}`;
  const quiet = resolved(host, '--quiet');
  const grid = { stroke: resolved(host, '--line'), width: 1 };
  const axis = { stroke: quiet, font, grid, ticks: { show: false } };
  return {
    width: host.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    axes: [
      { ...axis, values: (_, splits) => timeTexts(splits) },
      { ...axis, size: 72, values: (_, values) => values.map((value) => formatValue(value)) },
    ],
    scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
    series: [
      {},
      ...lines.map(({ name, colour, isDashed }) => ({
        label: name,
        stroke: resolved(host, colour),
        width: 1.5,
        spanGaps: false,
        points: { size: 5, fill: resolved(host, colour) },
        ...(isDashed ? { dash: [4, 3] } : {}),
      })),
    ],
  };
}

/** Draws lines over time. Returns the function that removes them. */
export function openPlot(host: HTMLElement, options: PlotOptions): () => void {
  const data: uPlot.AlignedData = [
    [...options.times],
    ...options.lines.map(({ values }) => values.map((value) => value ?? null)),
  ];
  const plot = new uPlot(optionsFor(host, options), data, host);
  const observer = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
  observer.observe(host);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
