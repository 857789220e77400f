// Server-sent events out of the body of a fetch. `EventSource` can neither say where to go on nor
// carry a body.

/** The server says at least a comment every 15 seconds. Longer silence is a line that was cut unnoticed. */
const SILENCE_MS = 45_000;

export interface ServerEvent {
  id: string | null;
  data: string;
}

/** The events of a stream, until it ends or is cut. */
export async function* serverEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await spoken(reader);
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parsed(block);
        if (event) yield event;
      }
    }
  } finally {
    // Whoever stops listening lets the connection go; nothing is stopped by that.
    reader.cancel().catch(() => undefined);
  }
}

type Piece = Awaited<ReturnType<ReadableStreamDefaultReader<string>['read']>>;

/** The next piece, or the end if none comes in time. */
async function spoken(reader: ReadableStreamDefaultReader<string>): Promise<Piece> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<Piece>((resolve) => {
    timer = setTimeout(() => resolve({ done: true, value: undefined }), SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

function parsed(block: string): ServerEvent | null {
  const data: string[] = [];
  let id: string | null = null;
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    if (name === 'id') id = value;
  }
  return data.length > 0 ? { id, data: data.join('\n') } : null;
}
