// Whether agents are at it in a chat, and who: the stream says so, or the server is asked.
import { api, asked } from '../api/client';

export class Round {
  isResponding = $state(false);
  activeAgents = $state<string[]>([]);
  /** How often the stream has said who is at it. */
  private frames = 0;

  constructor(
    private readonly world: string,
    private readonly chat: string,
  ) {}

  /** The stream says it. */
  hear({ type, activeAgents }: { type: string; activeAgents: string[] }): void {
    this.frames += 1;
    this.activeAgents = activeAgents;
    this.isResponding = type !== 'idle';
  }

  /** Asks whether a round runs. A call that is made again may be about one that is long over. */
  async look(): Promise<void> {
    const before = this.frames;
    try {
      const params = { path: { world_id: this.world }, query: { chatId: this.chat } };
      const status = await asked(api.GET('/api/worlds/{world_id}/status', { params }));
      // What the stream says meanwhile is newer.
      if (this.frames !== before) return;
      this.isResponding = status.isProcessing;
      this.activeAgents = status.activeAgents;
    } catch {
      // The stream will say it.
    }
  }
}
