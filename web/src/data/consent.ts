import { api, once } from '../api/client';
import { Refusal } from '../api/refusal';
import { self } from '../state/me.svelte';
import { attempt, notices } from '../state/notices.svelte';
import { words } from '../words.svelte';

/** Allows keeping, and says whether what was hidden has come back. */
export async function keepAgain(): Promise<void> {
  const hadWords = self.me?.preferences.history_deletion_scheduled_at != null;
  await attempt(async () => {
    const { data, error, response } = await api.PATCH('/api/users/me/preferences', {
      params: { header: once() },
      body: { store_history: true },
    });
    if (!data) throw Refusal.of(response, error);
    self.changed(data);
    if (response.headers.get('unsaid-history') === 'erased') notices.say(words().historyErased);
    else if (hadWords) notices.say(words().historyKept);
  });
}
