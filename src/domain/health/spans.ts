/**
 * When a task was announced as drifting.
 *
 * @module
 */
import type { Health } from './standing.ts'

/** A time in which a task drifted. Times are RFC 3339. */
export type DriftSpan = {
  readonly from: string
  /** null while it drifts */
  readonly until: string | null
}

/** Older ones are forgotten: a page shows the last 30 days. */
const MOST_SPANS = 10

/** The latest spans after an announcement, oldest first. @param at RFC 3339 */
export function withSpan(spans: readonly DriftSpan[], to: Health, at: string): readonly DriftSpan[] {
  const last = spans.at(-1)
  const isOpen = last?.until === null
  if (to === 'drifting') return isOpen ? spans : [...spans.slice(1 - MOST_SPANS), { from: at, until: null }]
  return isOpen ? [...spans.slice(0, -1), { ...last, until: at }] : spans
}
