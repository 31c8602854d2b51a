/**
 * A link to the operator's page of an account.
 *
 * @module
 */
import type { AccountId } from '../../domain/ids.ts'
import { type Html, html } from '../../html.ts'
import { unlessAway } from '../../log/away.ts'
import { copyId } from '../components/copy-id.ts'
import type { Visitor } from '../visitor.ts'

/** The account's name, which leads to its page, and its id. The id alone while its name cannot be read. */
export async function accountLink({ deps, base }: Visitor, id: AccountId): Promise<Html> {
  const state = await unlessAway(deps.accounts.state(id))
  const path = `${base}/console/operator/accounts/${id}`
  return state && state.status !== 'none'
    ? html`<a href="${path}"><bdi>${state.name}</bdi></a> ${copyId(id, 'the id of the account')}`
    : html`<a href="${path}">${id}</a>`
}
