import type { Settings } from '../settings/settings.ts';

/** The alias that callers of a function call. */
export const LIVE = 'live';

/** Whether an update moves the calls to a new version of each function at once. */
export const isAtOnce = ({ rollout }: Pick<Settings, 'rollout'>): boolean => rollout === 'AllAtOnce';

/** The ARN of the alias of a function. */
export const liveArn = (functionArn: string): string => `${functionArn}:${LIVE}`;
