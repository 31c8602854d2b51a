import type { components } from '../generated/api.d.ts';
type Event = components['schemas']['Event'];
/** A delivered event, or the event that a test of the endpoint sends. */
export type WebhookEvent = Omit<Event, 'type'> & {
    readonly type: Event['type'] | 'gleaner.WebhookTest';
};
/** The headers of a request, in the form of Node, `fetch` or a framework. */
export type WebhookHeaders = Headers | {
    readonly [name: string]: string | readonly string[] | undefined;
};
/**
 * Verifies that a delivery comes from the service (Standard Webhooks 1.0), and parses it.
 *
 * @param payload the raw body, as text or bytes, not a parsed object
 * @param headers the headers of the request
 * @param secret `whsec_…`, or a list of secrets during a rotation
 * @param options.toleranceS how far the timestamp may be in the past or future, in seconds; 300 by default
 * @returns the event
 * @throws {GleanerError} `invalid-webhook`: respond to such a request with 400
 * @throws {TypeError} if a secret is missing or malformed
 */
export declare function verifyWebhook(payload: string | Uint8Array | ArrayBuffer, headers: WebhookHeaders, secret: string | readonly string[] | undefined, { toleranceS }?: {
    readonly toleranceS?: number;
}): Promise<WebhookEvent>;
export {};
