// The one way to the server. Paths, parameters and bodies are typed by the description of the API.
import createClient from 'openapi-fetch';
import { Refusal } from './refusal';
import type { components, paths } from './schema';

export type Shape = components['schemas'];
export type World = Shape['World'];
export type Agent = Shape['Agent'];
export type Chat = Shape['Chat'];
export type Message = Shape['WorldMessage'];
export type Removal = Shape['RemovalResult'];
export type Me = Shape['Me'];

export const api = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What a call gives, or the refusal it was answered with. */
export async function asked<T>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await reached(call);
  if (!answer.response.ok) throw Refusal.of(answer.response, answer.error);
  return answer.data as T;
}

/** The response to a call whose body is a stream, or the refusal it was answered with. */
export async function streamed(call: Promise<Answer<unknown>>): Promise<Response> {
  const { response, error } = await reached(call);
  if (!response.ok) throw Refusal.of(response, error);
  return response;
}

async function reached<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === 'AbortError') throw failure;
    throw Refusal.unreachable();
  }
}

/** A name for a call, so that asking again after a cut takes effect once. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The parameters of a call that must not happen twice. */
export function once(key = newKey()): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': key };
}
