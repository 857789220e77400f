// The erasure audit is a chain: each line seals the one before it.
import type { Shape } from '../api/client';

type Line = Shape['AuditLine'];

const NOTHING_BEFORE = '0'.repeat(64);

export type Chain = { kind: 'whole' } | { kind: 'broken'; id: number } | { kind: 'unknown' };

/** Looks at lines that follow each other, oldest first. */
export async function judged(lines: Line[], isFromBeginning: boolean): Promise<Chain> {
  // Browsers hash only for pages that came over TLS or from this machine.
  if (!globalThis.crypto?.subtle) return { kind: 'unknown' };
  let before: string | null = isFromBeginning ? NOTHING_BEFORE : null;
  for (const line of lines) {
    const { hash, prev_hash, ...rest } = line;
    if (before !== null && prev_hash !== before) return { kind: 'broken', id: line.id };
    if ((await sha256(prev_hash + sorted(rest))) !== hash) return { kind: 'broken', id: line.id };
    before = hash;
  }
  return { kind: 'whole' };
}

/** As JSON with sorted keys and no spaces. */
function sorted(fields: Record<string, unknown>): string {
  return JSON.stringify(fields, Object.keys(fields).toSorted());
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
