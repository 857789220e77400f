// One short sentence at a time, for eyes and screen readers.
import { refusalOf, type Invalid, type Refusal } from '../api/refusal';
import { span } from '../dates';
import { speech, words } from '../words.svelte';
import { self } from './me.svelte';

const SHOWN_MS = 6_000;
/** Which rule is meant by what the server says of a field. */
const RULES: Record<string, 'empty' | 'email' | 'letter' | 'reserved' | 'character'> = {
  missing: 'empty',
  empty: 'empty',
  'is empty': 'empty',
  'not an e-mail address': 'email',
  'has neither letter nor digit': 'letter',
  'stands for the person': 'reserved',
  'stands for the templates': 'reserved',
  'contains U+0000': 'character',
};

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
  const said = particularOf(refusal) ?? generalOf(refusal);
  const isOurs = refusal.status >= 500 && refusal.requestId !== '';
  return isOurs ? `${said} ${words().requestId(refusal.requestId)}` : said;
}

/** Where the server says how long to wait, or which field is wrong, so do we. */
function particularOf({ code, waitMs, invalid }: Refusal): string | null {
  if (code === 'RATE_LIMITED' && waitMs > 0) return words().tooMany(span(waitMs / 1000, speech.language));
  const field = code === 'VALIDATION_ERROR' ? labelOf(invalid) : undefined;
  return field === undefined ? null : words().wrongField(field, ruleOf(invalid));
}

function generalOf({ code, status, sentence, advice }: Refusal): string {
  const known: Record<string, string> = words().refusals;
  // Something in between says that there is no server behind it.
  if (code === 'UNKNOWN' && status >= 500) return words().refusals.UNREACHABLE;
  return known[code] ?? [sentence, advice].filter(Boolean).join('. ');
}

/** What people know a field by. */
function labelOf({ field }: Invalid): string | undefined {
  const { name, email, password, message, agentPrompt, agentModel, agentProvider, turnLimitLabel } = words();
  const labels: Record<string, string> = {
    ...{ name, display_name: name, email, password, new_password: password },
    ...{ message, messages: message, newContent: message, text: message },
    ...{ systemPrompt: agentPrompt, model: agentModel, provider: agentProvider, turnLimit: turnLimitLabel },
  };
  return labels[field];
}

/** Which rule a field breaks. The server says it in English only. */
function ruleOf({ problem }: Invalid): string {
  const rules = words().rules;
  const [least = '', most = ''] = problem.match(/\d+/g) ?? [];
  if (/^longer than \d+ /.test(problem)) return rules.atMost(least);
  if (/^not \d+ to \d+ characters$/.test(problem)) return rules.between(least, most);
  if (/^not \d+ to \d+$/.test(problem)) return rules.numbers(least, most);
  return rules[RULES[problem] ?? 'any'];
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
