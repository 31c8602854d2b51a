/**
 * A low balance: the notice of it, and the level that an owner sets.
 *
 * @module
 */
import type { AccountState } from '../../../domain/account.ts'
import { type Html, html } from '../../../html.ts'
import { type Errors, field, foldedForm } from '../../components/forms.ts'
import { alert, count, counted } from '../../components/parts.ts'

/** As for grants. */
const MOST = 1_000_000_000

/** Says that the balance is low or spent. @param link where the page of credits is, on other pages */
export function lowBalance({ balance, creditsLevel }: AccountState, link?: string): Html | undefined {
  const credits = (text: string) => (link === undefined ? text : html`<a href="${link}">${text}</a>`)
  if (balance === 0)
    return alert(
      html`This account has no ${credits('credits')}. Tasks that cost credits cannot start until the operator of this instance grants some.`,
    )
  if (creditsLevel === null || balance >= creditsLevel) return undefined
  const left = `${counted(balance, 'credit')} ${balance === 1 ? 'is' : 'are'} left`
  return html`<p class="notice low">The balance is low: ${credits(left)}, below the level of ${count(creditsLevel)}.</p>`
}

/** The form for the level. @param sent the text that was refused */
export function levelForm(own: string, { creditsLevel }: AccountState, errors: Errors, sent?: string): Html {
  const value = sent ?? String(creditsLevel ?? '')
  const level = field({
    name: 'level',
    label: 'Notice below',
    type: 'number',
    min: 1,
    max: MOST,
    value,
    error: errors.level,
    hint: 'In credits. While the balance is below this level, Home and this page say so; the charge that takes it below is followed by the event `CreditsLow`, which webhooks can deliver. Leave it empty for no notice.',
  })
  const state = creditsLevel === null ? 'off' : `below ${counted(creditsLevel, 'credit')}`
  return foldedForm(`Low-balance notice: ${state}`, `${own}/credits/level`, level, 'Save', errors)
}

/** The level in a text: null for an empty one, undefined for an invalid one. */
export function levelIn(text: string): number | null | undefined {
  if (text.trim() === '') return null
  const level = Number(text)
  return Number.isInteger(level) && level >= 1 && level <= MOST ? level : undefined
}

/** Why a text is no level. */
export const NO_LEVEL = `Enter a whole number from 1 to ${count(MOST)}, or nothing.`
