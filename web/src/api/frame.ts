// What the streams of worlds say. The description of the API calls a frame a text; this is its inside.
import type { Message, Removal } from './client';

export type Frame =
  | { type: 'message'; data: Message }
  | { type: 'removed'; data: Removed }
  | { type: 'restored'; data: { editId: string; fromMessageId?: string; count: number } }
  | { type: 'sse'; data: Spoken }
  | { type: 'world'; data: { type: 'response-start' | 'response-end' | 'idle'; activeAgents: string[] } }
  | { type: 'system'; data: { kind: 'turn-limit'; agentId: string } | { kind: 'no-responder' } }
  | { type: 'error'; data: { code: string; error: string } }
  | { type: 'reset'; data: Record<string, never> };

/** A frame by which something goes or comes back. It says which and how many, never what. */
export type Loss = Extract<Frame, { type: 'removed' | 'restored' | 'reset' }>;

export function isLoss(frame: Frame): frame is Loss {
  return frame.type === 'removed' || frame.type === 'restored' || frame.type === 'reset';
}

/** Whether it is told once only, to whoever listens just then. */
export function isRemark(frame: Frame): boolean {
  return frame.type === 'system' || frame.type === 'error' || (frame.type === 'sse' && frame.data.type === 'error');
}

export interface Removed {
  fromMessageId: string;
  count: number;
  editId?: string;
  unsent?: boolean;
  result?: Removal;
}

export interface Spoken {
  agentName: string;
  type: 'start' | 'chunk' | 'end' | 'error';
  messageId: string;
  content?: string;
}
