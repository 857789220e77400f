import { self } from './me.svelte';

/** When what was said in a conversation will be erased, if it is hidden until then. */
export function hiddenUntil(began?: string): string | null {
  const preferences = self.me?.preferences;
  const due = preferences?.history_deletion_scheduled_at ?? null;
  // Only what is older than the withdrawal can be hidden. The withdrawal is known to the second.
  const second = (time: string) => Math.floor(Date.parse(time) / 1000);
  const isOlder = began === undefined || second(began) <= second(preferences?.store_history_changed_at ?? '');
  return isOlder ? due : null;
}
