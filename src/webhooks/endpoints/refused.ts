/**
 * The refusal of a call about webhooks.
 *
 * @module
 */

/** Nothing was changed; the message tells the caller what to do. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  constructor(
    readonly problem: 'too-many-webhooks' | 'invalid-url',
    message: string,
  ) {
    super(message)
  }
}
