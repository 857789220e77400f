// Which screen is shown, as the address says.

export type Route =
  | { screen: 'worlds' }
  | { screen: 'world'; world: string; chat: string | null }
  | { screen: 'experts' }
  | { screen: 'session'; session: string }
  | { screen: 'data' }
  | { screen: 'admin' }
  /** Only whoever the owner's link does not let in sees a page there. */
  | { screen: 'setup' }
  | { screen: 'nothing' };

class Place {
  route = $state<Route>(parsed(location.pathname));

  constructor() {
    addEventListener('popstate', () => this.look());
  }

  go(path: string): void {
    if (path !== location.pathname) history.pushState(null, '', path);
    this.look();
  }

  /** Goes there without leaving the way back to here. */
  replace(path: string): void {
    history.replaceState(null, '', path);
    this.look();
  }

  /** Tells later whether somebody is still here: whoever went elsewhere meanwhile is not brought back. */
  stay(): () => boolean {
    const { pathname } = location;
    return () => location.pathname === pathname;
  }

  private look(): void {
    this.route = parsed(location.pathname);
  }
}

export const place = new Place();

export const paths = {
  worlds: '/',
  world: (world: string) => `/app/worlds/${encodeURIComponent(world)}`,
  chat: (world: string, chat: string) => `${paths.world(world)}/chats/${encodeURIComponent(chat)}`,
  experts: '/app/experts',
  session: (session: string) => `/app/sessions/${encodeURIComponent(session)}`,
  data: '/app/data',
  admin: '/app/admin',
};

function parsed(path: string): Route {
  const parts = path.split('/').filter(Boolean).map(decoded);
  if (parts.length === 0) return { screen: 'worlds' };
  const [app, screen, first, chats, second, ...more] = parts;
  if (path === '/setup') return { screen: 'setup' };
  if (app !== 'app' || more.length > 0) return { screen: 'nothing' };
  if (screen === 'worlds' && first && !chats) return { screen: 'world', world: first, chat: null };
  if (screen === 'worlds' && first && chats === 'chats' && second)
    return { screen: 'world', world: first, chat: second };
  if (screen === 'sessions' && first && !chats) return { screen: 'session', session: first };
  if (first) return { screen: 'nothing' };
  if (screen === undefined || screen === 'worlds') return { screen: 'worlds' };
  if (screen === 'experts' || screen === 'data' || screen === 'admin') return { screen };
  return { screen: 'nothing' };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
