/** Why a call was not done. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly sentence: string,
    readonly advice: string,
    readonly requestId: string,
    /** How long the server wants to be left alone. */
    readonly waitMs = 0,
  ) {
    super(sentence);
  }

  /** From the body of an answer; one that is not ours comes from something in between. */
  static of({ status, headers }: Response, body: unknown): Refusal {
    const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    const text = (name: string) => (typeof said[name] === 'string' ? said[name] : '');
    const code = text('code') || 'UNKNOWN';
    const waitMs = (Number(headers.get('retry-after')) || 0) * 1000;
    return new Refusal(status, code, text('error') || `HTTP ${status}`, text('message'), text('request_id'), waitMs);
  }

  /** The server was not reached, or fell silent: whether it happened is not known. */
  static unreachable(): Refusal {
    return new Refusal(0, 'UNREACHABLE', 'The server cannot be reached', '', '');
  }

  /** Whether the same call may succeed later. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 423 || this.status === 429 || this.status >= 500;
  }
}

/** Whatever was thrown, as a refusal. */
export function refusalOf(thrown: unknown): Refusal {
  return thrown instanceof Refusal ? thrown : Refusal.unreachable();
}
