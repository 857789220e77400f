// One chat as it goes on, for as long as somebody looks at it. A cut is mended: the stream goes on
// after the newest event that was heard. A browser has six connections to a host, and all its tabs share
// them: a tab that nobody sees lets its stream go, and only a few have one at the same time.
import { Refusal } from './refusal';
import type { Frame } from './frame';
import { serverEvents } from './sse';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Streams at the same time. As many connections are left for everything else. */
const STREAMS_MAX = 3;
/** How long a tab waits before it looks again whether there is a stream for it. */
const CROWDED_MS = 3_000;

export interface Listener {
  /** The stream is open: whatever happens from now on is told. `anew`: something may have been missed. */
  opened(anew: boolean): void;
  frame(frame: Frame): void;
  /** The stream was cut and is tried again. */
  cut(): void;
  /** Nothing is told for now, because nobody looks. What was missed comes later. */
  unseen(): void;
  /** Nothing is told for now, because other tabs have all the streams. Comes again and again. */
  crowded(): void;
  /** There is nothing to follow. */
  refused(refusal: Refusal): void;
}

/** Why a stream ended, or did not begin. */
type End = 'refused' | 'cut' | 'unseen' | 'crowded';

/** Follows until the signal says to stop. */
export async function follow(url: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let newest: string | null = null;
  let pause = FIRST_PAUSE_MS;

  const hear = async (until: AbortSignal): Promise<End> => {
    try {
      const headers: HeadersInit = newest === null ? {} : { 'Last-Event-ID': newest };
      const response = await fetch(url, { headers, credentials: 'same-origin', cache: 'no-store', signal: until });
      if (!response.ok) {
        const refusal = Refusal.of(response, await response.json().catch(() => null));
        pause = Math.max(pause, refusal.waitMs);
        if (refusal.mayPass) return 'cut';
        listener.refused(refusal);
        return 'refused';
      }
      listener.opened(newest === null);
      for await (const event of serverEvents(response)) {
        pause = FIRST_PAUSE_MS;
        listener.frame(JSON.parse(event.data) as Frame);
        newest = event.id ?? newest;
      }
    } catch {
      // A cut looks the same whatever its reason.
    }
    return until.aborted ? 'unseen' : 'cut';
  };

  while (!signal.aborted) {
    await untilSeen(signal);
    const end = await inTurn(() => whileSeen(signal, hear));
    if (signal.aborted || end === 'refused') return;
    if (end === 'unseen') {
      listener.unseen();
    } else if (end === 'crowded') {
      listener.crowded();
      await pauseOf(CROWDED_MS, signal);
    } else {
      listener.cut();
      await pauseOf(pause, signal);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
}

/** Takes one of the places that the tabs of a browser share, or none if all are taken. */
async function inTurn(work: () => Promise<End>): Promise<End> {
  // Without TLS from another machine browsers have no locks. Then nobody waits.
  if (!isSecureContext) return work();
  for (let place = 0; place < STREAMS_MAX; place += 1) {
    const name = `unsaid.stream.${place}`;
    const end = await navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? work() : null));
    if (end !== null) return end;
  }
  return 'crowded';
}

/** Does something until nobody sees this tab any more, or the signal says to stop. */
async function whileSeen(signal: AbortSignal, work: (until: AbortSignal) => Promise<End>): Promise<End> {
  const unseen = new AbortController();
  const look = () => {
    if (document.hidden) unseen.abort();
  };
  document.addEventListener('visibilitychange', look);
  look();
  try {
    return await work(AbortSignal.any([signal, unseen.signal]));
  } finally {
    document.removeEventListener('visibilitychange', look);
  }
}

/** Waits until somebody sees this tab, but not beyond the end. */
function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/** Waits, but not beyond the end, and not when the network is back. */
function pauseOf(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      removeEventListener('online', end);
      resolve();
    };
    // A little chance, so that many tabs do not come back together; never sooner than is wanted.
    const timer = setTimeout(end, milliseconds * (1 + Math.random() / 2));
    signal.addEventListener('abort', end);
    addEventListener('online', end);
  });
}
