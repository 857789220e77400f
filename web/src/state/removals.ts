// What edits took away and the server can still give back, by person and chat: which and how many, never
// what. Whoever comes back to a chat, or loads the page again, finds the way back.
import type { Removal as Result } from '../api/client';
import type { Removed } from '../api/frame';
import { Kept } from './kept';

export interface Removal {
  /** Null: it cannot be undone. */
  editId: string | null;
  /** The first that went. */
  from: string;
  count: number;
  /** How many agents forgot it. */
  agents: number;
  replacement: string | null;
  /** When the way back closes, by the clock of this machine. */
  undoEnds: number;
}

export const removals = new Kept<Removal>('unsaid.removal.', sessionStorage);

/** What a stream tells of a removal. */
export function removalOf(removed: Removed, agentCount: number, undoMs: number): Removal {
  const { editId = null, fromMessageId: from, count, result } = removed;
  // What is written down knows no infinity.
  const undoEnds = Math.min(Date.now() + undoMs, Number.MAX_SAFE_INTEGER);
  return { editId, from, count, agents: agentCount, replacement: null, undoEnds, ...(result && outcomeOf(result)) };
}

/** What only the stream of the call itself tells. */
export function outcomeOf({ processedAgents, newMessageId }: Result): Pick<Removal, 'agents' | 'replacement'> {
  return { agents: processedAgents.length, replacement: newMessageId ?? null };
}
