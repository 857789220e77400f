/** The field that was not valid, and the rule it breaks, in the words of the server; empty where it names none. */
export interface Invalid {
  field: string;
  problem: string;
}

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
    readonly invalid: Invalid = { field: '', problem: '' },
  ) {
    super(sentence);
  }

  /** From the body of an answer; one that is not ours comes from something in between. */
  static of({ status, headers }: Response, body: unknown): Refusal {
    const said = membersOf(body);
    const details = membersOf(said.details);
    const code = textOf(said.code) || 'UNKNOWN';
    const sentence = textOf(said.error) || `HTTP ${status}`;
    const waitMs = (Number(headers.get('retry-after')) || 0) * 1000;
    const invalid = { field: textOf(details.field), problem: textOf(details.problem) };
    return new Refusal(status, code, sentence, textOf(said.message), textOf(said.request_id), waitMs, invalid);
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

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
