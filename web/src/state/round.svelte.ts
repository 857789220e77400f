// Whether agents are at it in a chat, and who: the stream says so, or the server is asked.
import { api, asked } from '../api/client';

export class Round {
  isResponding = $state(false);
  activeAgents = $state<string[]>([]);
  /** How often it became known otherwise than by the latest look. */
  private news = 0;
  private looks = 0;

  constructor(
    private readonly world: string,
    private readonly chat: string,
  ) {}

  /** The stream says it. */
  hear({ type, activeAgents }: { type: string; activeAgents: string[] }): void {
    this.news += 1;
    this.activeAgents = activeAgents;
    this.isResponding = type !== 'idle';
  }

  /** Something is about to be said: what was asked before that knows nothing of it. */
  expect(): void {
    this.news += 1;
    this.isResponding = true;
  }

  /** Asks whether a round runs. A call that is made again may be about one that is long over. */
  async look(): Promise<void> {
    const { news } = this;
    const look = ++this.looks;
    try {
      const params = { path: { world_id: this.world }, query: { chatId: this.chat } };
      const status = await asked(api.GET('/api/worlds/{world_id}/status', { params }));
      // What the stream says meanwhile is newer, and so is what was asked later.
      if (news !== this.news || look !== this.looks) return;
      this.isResponding = status.isProcessing;
      this.activeAgents = status.activeAgents;
    } catch {
      // The stream will say it.
    }
  }
}
