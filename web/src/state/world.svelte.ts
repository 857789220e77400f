// One world with its agents, as its screen shows it.
import { api, asked, once, type Agent, type Chat, type Shape, type World } from '../api/client';
import { refusalOf, type Refusal } from '../api/refusal';
import { Kept } from './kept';
import { self } from './me.svelte';
import { listen, tell } from './tabs';

export class OpenWorld {
  world = $state<World | null>(null);
  agents = $state<Agent[]>([]);
  refusal = $state<Refusal | null>(null);
  /** How often something was forgotten in the chat that is shown. */
  forgettings = $state(0);
  /** How often an edit failed there. */
  failures = $state(0);

  private readonly deaf: () => void;
  /** How often it was looked; who asked later knows better. */
  private loads = 0;
  private isLoading = false;

  constructor(readonly id: string) {
    this.deaf = listen('world', ({ world }) => {
      if (world === id) void this.load();
    });
  }

  close(): void {
    this.deaf();
  }

  async load(): Promise<void> {
    const load = ++this.loads;
    this.isLoading = true;
    try {
      const [world, agents] = await Promise.all([
        asked(api.GET('/api/worlds/{world_id}', { params: { path: this.path } })),
        asked(api.GET('/api/worlds/{world_id}/agents', { params: { path: this.path } })),
      ]);
      if (load !== this.loads) return;
      this.take(world);
      this.agents = agents;
      this.refusal = null;
    } catch (thrown) {
      if (load !== this.loads) return;
      const refusal = refusalOf(thrown);
      if (refusal.code === 'WORLD_NOT_FOUND') this.dropBegun(this.chats);
      // What is shown stays if it may still be there.
      if (this.world === null || !refusal.mayPass) this.refusal = refusal;
    } finally {
      if (load === this.loads) this.isLoading = false;
    }
  }

  /** With a chat goes what was begun in it, whoever deleted it. */
  private take(world: World): void {
    const there = new Set(world.chats.map(({ id }) => id));
    this.dropBegun(this.chats.filter((chat) => !there.has(chat)));
    this.world = world;
  }

  private dropBegun(chats: string[]): void {
    for (const chat of chats) Kept.drop(self.me?.id ?? '', chat);
  }

  private get chats(): string[] {
    return this.world?.chats.map(({ id }) => id) ?? [];
  }

  /** What an agent is called; one that has left keeps its id. */
  nameOf(agent: string): string {
    return this.agents.find(({ id }) => id === agent)?.name ?? agent;
  }

  async addChat(): Promise<Chat> {
    const params = { path: this.path, header: once() };
    const chat = await asked(api.POST('/api/worlds/{world_id}/chats', { params, body: {} }));
    await this.changed();
    return chat;
  }

  async deleteChat(chat: string): Promise<void> {
    const params = { path: { ...this.path, chat_id: chat }, header: once() };
    await asked(api.DELETE('/api/worlds/{world_id}/chats/{chat_id}', { params }));
    this.dropBegun([chat]);
    await this.changed();
  }

  /** Makes a chat the current one, which turns session mode on. */
  async setChat(chat: string): Promise<void> {
    const params = { path: { ...this.path, chat_id: chat }, header: once() };
    this.changedTo(await asked(api.POST('/api/worlds/{world_id}/setChat/{chat_id}', { params })));
  }

  async turnSessionModeOff(): Promise<void> {
    const params = { path: this.path, header: once() };
    const body = { currentChatId: null };
    this.changedTo(await asked(api.PATCH('/api/worlds/{world_id}', { params, body })));
  }

  async addAgent(agent: Shape['NewAgent']): Promise<void> {
    const params = { path: this.path, header: once() };
    await asked(api.POST('/api/worlds/{world_id}/agents', { params, body: agent }));
    await this.changed();
  }

  async changeAgent(agent: string, change: Shape['AgentChange']): Promise<void> {
    const params = { path: { ...this.path, agent_id: agent }, header: once() };
    await asked(api.PATCH('/api/worlds/{world_id}/agents/{agent_id}', { params, body: change }));
    await this.changed();
  }

  async deleteAgent(agent: string): Promise<void> {
    const params = { path: { ...this.path, agent_id: agent }, header: once() };
    await asked(api.DELETE('/api/worlds/{world_id}/agents/{agent_id}', { params }));
    await this.changed();
  }

  async delete(): Promise<void> {
    const params = { path: this.path, header: once() };
    await asked(api.DELETE('/api/worlds/{world_id}', { params }));
    this.dropBegun(this.chats);
    tell({ kind: 'world', world: this.id });
  }

  /** It is this now; whoever is just looking may see what was before. */
  private changedTo(world: World): void {
    this.take(world);
    if (this.isLoading) void this.load();
    tell({ kind: 'world', world: this.id });
  }

  /** Looks again, and lets the other tabs do so. */
  private async changed(): Promise<void> {
    tell({ kind: 'world', world: this.id });
    await this.load();
  }

  private get path(): { world_id: string } {
    return { world_id: this.id };
  }
}
