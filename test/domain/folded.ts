/**
 * States for tests of decisions.
 *
 * @module
 */
import type { Fold } from '../../src/domain/decider.ts'
import type { DomainEvent, Metadata } from '../../src/domain/events.ts'

/** Metadata of events whose metadata does not matter. */
export const META: Metadata = {
  $correlationId: 'request',
  $causationId: 'request',
  account_id: 'acc_00000000000000000000000001',
  actor: 'service',
  at: '2026-01-01T00:00:00.000Z',
  v: '1',
}

/** The state after some events. @param from the initial state by default */
export const folded = <State>(
  { initial, evolve }: Fold<State>,
  events: readonly DomainEvent[],
  from: State = initial,
): State => events.reduce((state, event) => evolve(state, event, META), from)
