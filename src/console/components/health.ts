/**
 * The health of tasks, in words and pictures.
 *
 * @module
 */
import type { Telling } from '../../domain/health/ends.ts'
import { type Health, WORST_FIRST } from '../../domain/health/standing.ts'
import { type Html, html } from '../../html.ts'
import { dateOf } from './dates.ts'
import { badge, counted } from './parts.ts'

const WORDS: Readonly<Record<Exclude<Health, 'healthy'>, string>> = {
  degraded: 'at least one in five runs fails',
  drifting: 'some fields are empty',
  broken: 'the last three runs failed',
  unknown: 'no run to judge by',
}

/**
 * The state of a task with what it means, where its name does not say it.
 *
 * @param fields that lost their values
 */
export function healthBadge(health: Health, fields: readonly string[] = []): Html {
  if (health === 'healthy') return badge(health)
  const names =
    fields.length > 0 && `${health === 'drifting' ? '' : '; some fields are empty'}: ${fields.join(', ')}`
  return html`${badge(health)} <span class="hint">${WORDS[health]}${names}</span>`
}

/**
 * A state as a sentence.
 *
 * @param since RFC 3339; null: not known
 * @param fields that lost their values
 */
export function healthSentence(health: Health, since: string | null, fields: readonly string[]): Html {
  const when = since !== null && html` since ${dateOf(since)}`
  if (health === 'unknown') return html`No run in the last 24 hours to judge by.`
  if (health === 'healthy') return html`It has worked${when}.`
  const names = fields.join(', ')
  const also = fields.length > 0 && ` Some fields are empty, too: ${names}.`
  if (health === 'degraded') return html`At least one in five runs has failed${when}.${also}`
  if (health === 'broken')
    return html`The last three runs failed.${since !== null && html` It has been broken${when}.`}${also}`
  return html`Some fields have been empty${when}${fields.length > 0 && `: ${names}`}.`
}

/** The worst of some states; one that is known counts more than an unknown one. */
export const worstOf = (healths: readonly Health[]): Health =>
  WORST_FIRST.find((each) => healths.includes(each)) ?? 'unknown'

/** How much attention a state needs, from 0. */
export const worries = (health: Health): number =>
  health === 'broken' ? 2 : health === 'degraded' || health === 'drifting' ? 1 : 0

const SIZE = 12
const STEP = 16

/** Ends of runs as a row of squares, the latest at the right. Bad ones are lower and crossed out. */
export function strip(ends: readonly Telling[]): Html {
  const good = ends.filter((end) => end.good).length
  const width = ends.length * STEP - (STEP - SIZE)
  const label = `The last ${counted(ends.length, 'end')} of runs, oldest first: ${ends.map((end) => (end.good ? 'good' : 'bad')).join(', ')}`
  const squares = ends.map((end, i) => {
    const x = i * STEP
    const title = html`<title>${end.at.slice(0, 16).replace('T', ' ')} UTC: ${end.code ?? 'succeeded'}</title>`
    return end.good
      ? html`<rect x="${x}" y="0" width="${SIZE}" height="${SIZE}" rx="2" class="good">${title}</rect>`
      : html`<g class="bad">${title}<rect x="${x}" y="0" width="${SIZE}" height="${SIZE}" rx="2"/><path d="M${x + 3} 3l6 6m0-6l-6 6"/></g>`
  })
  return ends.length === 0
    ? html`<span class="hint">no run that counts yet</span>`
    : html`<span class="ends"><svg class="strip" role="img" aria-label="${label}" viewBox="0 0 ${width} ${SIZE}" width="${width}" height="${SIZE}">${squares}</svg> <span class="hint">${good} of ${ends.length} good (${Math.round((100 * good) / ends.length)}%)</span></span>`
}
