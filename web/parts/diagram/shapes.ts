import type { IconName } from '../icon/icon.tsx';
import type { Point } from './layout.ts';

/** The icon of each type of state. */
const ICONS: Readonly<Record<string, IconName>> = {
  action: 'play',
  foreach: 'repeat',
  parallel: 'split',
  delay: 'clock',
  switch: 'branch',
  consumeevent: 'wait',
  eventsand: 'wait',
  eventand: 'wait',
  eventsxor: 'wait',
  eventxor: 'wait',
  generateevent: 'send',
  getter: 'download',
  setter: 'upload',
  validate: 'check',
  error: 'warning',
  noop: 'right',
  approval: 'approvals',
  cause: 'events',
};

/** The icon of a type of state. */
export const iconOf = (type: string): IconName => ICONS[type.toLowerCase()] ?? 'more';

/** A path from the first to the last point with rounded corners between them. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = [`M${round(first.x)} ${round(first.y)}`];
  rest.forEach((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) parts.push(`L${round(point.x)} ${round(point.y)}`);
    else {
      const middle = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
      parts.push(`Q${round(point.x)} ${round(point.y)} ${round(middle.x)} ${round(middle.y)}`);
    }
  });
  return parts.join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;
const LENGTH = 7;
const HALF_WIDTH = 3.5;

/** The head of an arrow that ends at the last point. */
export function arrowHead(points: readonly Point[]): string {
  const end = points.at(-1);
  const before = points.at(-2);
  if (end === undefined || before === undefined) return '';
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corner = (side: number): string => {
    const x = end.x - LENGTH * cos + side * HALF_WIDTH * sin;
    const y = end.y - LENGTH * sin - side * HALF_WIDTH * cos;
    return `${round(x)} ${round(y)}`;
  };
  return `M${round(end.x)} ${round(end.y)}L${corner(1)}L${corner(-1)}z`;
}
