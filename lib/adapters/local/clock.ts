export { systemClock } from '../aws/clock.ts';
