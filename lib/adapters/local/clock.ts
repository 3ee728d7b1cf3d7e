export { systemClock } from '../portable/clock.ts';
