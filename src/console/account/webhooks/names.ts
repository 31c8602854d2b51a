/**
 * How an endpoint is named and its state is said.
 *
 * @module
 */
import type { Role } from '../../../domain/roles.ts'
import { type Html, html } from '../../../html.ts'
import type { WebhookRecord } from '../../../webhooks/endpoints/record.ts'
import { badge, time } from '../../components/parts.ts'

type Reader = { readonly own: string; readonly role: Role }

export const webhooksPath = ({ own }: { readonly own: string }): string => `${own}/webhooks`

/** URLs are often secret: only owners see more than the host. */
export const urlFor = ({ role }: Reader, { url }: WebhookRecord): string =>
  role === 'owner' ? url : `${new URL(url).origin}/…`

/** A name that tells endpoints on one host apart: the description; without one, the host with the path for owners. */
export function nameFor({ role }: Reader, { url, description }: WebhookRecord): string {
  if (description !== null) return description
  const { host, pathname } = new URL(url)
  const name = role === 'owner' && pathname !== '/' ? host + pathname : host
  // Addresses differ at their ends.
  return name.length > LONG ? `${name.slice(0, LONG / 2)}…${name.slice(-LONG / 2)}` : name
}
/** Longer addresses are cut in the middle. */
const LONG = 60

export const stateOf = ({ state, disabled_reason, failing_since }: WebhookRecord): Html =>
  state === 'disabled'
    ? html`${badge('disabled')} ${disabled_reason === 'requested' ? '' : REASONS[disabled_reason ?? 'requested']}`
    : failing_since === null
      ? badge('enabled')
      : html`${badge('failing')} since ${time(failing_since)}`

/** Why an endpoint is disabled. */
export const REASONS = {
  requested: 'An owner disabled it.',
  gone: 'It answered 410 Gone.',
  failing: 'It failed for five days.',
} as const
