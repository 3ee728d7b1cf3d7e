import { signal } from '@preact/signals';
import { keepPreference } from './storage.ts';

export type Theme = 'light' | 'dark' | 'system';

const root = document.documentElement;
const chosen = root.dataset['theme'];

export const theme = signal<Theme>(chosen === 'light' || chosen === 'dark' ? chosen : 'system');

/** Shows the console in light or dark colours, or as the system is set. */
export function setTheme(value: Theme): void {
  theme.value = value;
  if (value === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = value;
  keepPreference('theme', value === 'system' ? undefined : value);
}
