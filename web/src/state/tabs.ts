// What the tabs of one browser tell each other. Who has a stream of a chat hears everything by that;
// accounts, sessions and tabs without a stream have only this.
import type { Loss } from '../api/frame';

export type News =
  /** Who is signed in, or what they allow, is different now. Over: nothing they had begun stays. */
  | { kind: 'account'; isOver: boolean }
  /** A session lost or changed words. */
  | { kind: 'session' }
  /** A world is new or gone, or its agents or chats are different now. */
  | { kind: 'world'; world: string }
  /** A draft was confirmed or thrown away. */
  | { kind: 'draft'; chat: string; messageId: string; key: string | null }
  /** Something happened in a chat; what is lost by it leaves tabs without a stream at once. */
  | { kind: 'chat'; world: string; chat: string; loss: Loss | null };

const channel = new BroadcastChannel('unsaid');

/** Tells the other tabs; never words. */
export function tell(news: News): void {
  channel.postMessage(news);
}

/** Listens to the other tabs until the function that comes back is called. */
export function listen<K extends News['kind']>(
  kind: K,
  heard: (news: Extract<News, { kind: K }>) => void,
): () => void {
  const take = ({ data }: MessageEvent<News>) => {
    if (data.kind === kind) heard(data as Extract<News, { kind: K }>);
  };
  channel.addEventListener('message', take);
  return () => channel.removeEventListener('message', take);
}
