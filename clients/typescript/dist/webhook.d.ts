import type { components } from '../generated/api.d.ts';
type Event = components['schemas']['Event'];
/** What is delivered: an event, or the one that a test of the endpoint sends. */
export type WebhookEvent = Omit<Event, 'type'> & {
    readonly type: Event['type'] | 'gleaner.WebhookTest';
};
/** Headers as Node, `fetch` or a framework has them. */
export type WebhookHeaders = Headers | {
    readonly [name: string]: string | readonly string[] | undefined;
};
/**
 * Checks that a delivery comes from the service (Standard Webhooks 1.0), and reads it.
 *
 * @param payload the body as it came: text or bytes, not an object that was parsed
 * @param headers those of the request
 * @param secret `whsec_…`, or several while secrets are rotated
 * @param options.toleranceS how old, or how far ahead, a delivery may be, in seconds; 300 by default
 * @returns the event
 * @throws {GleanerError} `invalid-webhook`: answer such a request with 400
 * @throws {TypeError} when a secret is not one
 */
export declare function verifyWebhook(payload: string | Uint8Array | ArrayBuffer, headers: WebhookHeaders, secret: string | readonly string[] | undefined, { toleranceS }?: {
    readonly toleranceS?: number;
}): Promise<WebhookEvent>;
export {};
