// One short sentence at a time, for eyes and screen readers.
import { refusalOf, type Refusal } from '../api/refusal';
import { words } from '../words.svelte';
import { self } from './me.svelte';

const SHOWN_MS = 6_000;

class Notices {
  text = $state('');
  isTrouble = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    this.show(text, false);
    this.timer = setTimeout(() => this.clear(), SHOWN_MS);
  }

  /** What went wrong stays until it is closed or something else is said. */
  trouble(thrown: unknown): void {
    const refusal = refusalOf(thrown);
    if (refusal.status === 401) self.expired();
    this.show(sentenceOf(refusal), true);
  }

  /** What was said on another screen is over. */
  left(): void {
    this.clear();
  }

  clear(): void {
    this.show('', false);
  }

  private show(text: string, isTrouble: boolean): void {
    clearTimeout(this.timer);
    this.text = text;
    this.isTrouble = isTrouble;
  }
}

export const notices = new Notices();

/** What happened and what to do, in the person's language where we have it. */
export function sentenceOf(refusal: Refusal): string {
  const known: Record<string, string> = words().refusals;
  const said = known[refusal.code] ?? [refusal.sentence, refusal.advice].filter(Boolean).join('. ');
  const isOurs = refusal.status >= 500 && refusal.requestId !== '';
  return isOurs ? `${said} ${words().requestId(refusal.requestId)}` : said;
}

/** Does something and says so if it cannot be done. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    notices.trouble(thrown);
    return undefined;
  }
}
