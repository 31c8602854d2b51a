/**
 * Metrics of the events that this process writes. Part of the composition root.
 *
 * @module
 */
import type { DomainEvent } from './domain/events.ts'
import type { EndedRun } from './domain/run.ts'
import type { Metrics } from './metrics.ts'

/** The metrics of an ended run. */
export const figuresOf = ({ taskKey, status, code, startedAt, finishedAt }: EndedRun) => ({
  task: taskKey,
  end: status,
  code,
  seconds: startedAt === null ? undefined : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000,
})

const KINDS = { CreditsGranted: 'granted', CreditsCharged: 'charged', CreditsRefunded: 'refunded' } as const

/** Counts the credits of ledger entries. */
export const booksIn = (metrics: Metrics) => (event: DomainEvent) => {
  switch (event.type) {
    case 'CreditsGranted':
    case 'CreditsCharged':
    case 'CreditsRefunded':
      metrics.count('gleaner_credits_total', { kind: KINDS[event.type] }, event.data.amount)
  }
}
