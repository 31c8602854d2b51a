/**
 * The refusal of a call about webhooks.
 *
 * @module
 */

export type WebhookProblem = 'too-many-webhooks' | 'invalid-url'

/** Nothing was changed; the detail tells the caller what to do. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  constructor(
    readonly problem: WebhookProblem,
    readonly detail: string,
  ) {
    super(detail)
  }
}
