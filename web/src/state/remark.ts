// What is remarked about a round that nobody's words tell.

export type Remark =
  | { kind: 'no-responder' }
  | { kind: 'turn-limit'; agent: string }
  /** Agent null: none of them was even asked. */
  | { kind: 'failed'; agent: string | null; why: Why };

/** Why an agent could not answer. */
export type Why = 'model' | 'slow' | 'storage' | 'consent';

/** A stream tells it in a sentence. */
const REASONS: Record<string, Why> = {
  'The answer took too long': 'slow',
  'Storage does not answer': 'storage',
  'History storage was switched off meanwhile': 'consent',
  'History storage was switched off meanwhile; send it again': 'consent',
};
/** Somebody wanted it so, or it begins anew: nothing has failed. */
const NOT_FAILED = ['Cancelled', 'The server is restarting'];

export function reasonOf(sentence = ''): Why {
  return REASONS[sentence] ?? 'model';
}

export function hasFailed(sentence = ''): boolean {
  return !NOT_FAILED.includes(sentence);
}
