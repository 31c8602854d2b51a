/** The deadlines that the reconciler must act on: given these events, these deadlines. */
import { describe, expect, test } from 'bun:test'
import { ADMISSION_MS, type DeadlineRow, deadlines } from '../../projections/deadlines.ts'
import type { DomainEvent, EventData } from '../../src/domain/events.ts'
import {
  A,
  cancelAsked,
  charged,
  ended,
  fold,
  ms,
  notAdmitted,
  progressed,
  RUN,
  refunded,
  requested,
  requeued,
  START,
  started,
  stored,
} from './given.ts'

describe('deadlines', () => {
  const row = (...events: DomainEvent[]): DeadlineRow | undefined => fold(deadlines, ...events).get(RUN)
  const due = (...events: DomainEvent[]) => {
    const deadline = row(...events)
    return deadline && [deadline.kind, deadline.due]
  }

  test('a charge waits for its run', () => {
    expect(row(charged())).toStrictEqual({
      run_id: RUN,
      account_id: A,
      run_until: null,
      kind: 'admission',
      due: START + ADMISSION_MS,
      charged: 4,
    })
  })

  test('a queued run is due at its queue limit, also when it cost nothing', () => {
    expect(due(charged(), requested)).toEqual(['queue', ms(900)])
    expect(due(requested)).toEqual(['queue', ms(900)])
  })

  test('a leased run is due at the end of its lease, which progress extends', () => {
    expect(due(charged(), requested, started())).toEqual(['lease', ms(32)])
    expect(due(charged(), requested, started(), progressed(33))).toEqual(['lease', ms(33)])
    expect(due(charged(), requested, started(), progressed(33), stored, cancelAsked)).toEqual([
      'lease',
      ms(33),
    ])
  })

  test('endless lease renewals do not move the deadline beyond one lease after the time limit', () => {
    expect(due(charged(), requested, started(1, 32, 10), progressed(33))).toEqual(['lease', ms(33)])
    expect(due(charged(), requested, started(1, 4, 3), progressed(5), progressed(6), progressed(7))).toEqual([
      'lease',
      ms(5),
    ])
  })

  test('a requeued run is due at its run limit, and so is its next attempt at the latest', () => {
    expect(due(charged(), requested, started(), requeued('worker-lost'))).toEqual(['queue', ms(302)])
    expect(due(charged(), requested, started(), requeued('shutdown'), started(1, 60))).toEqual([
      'lease',
      ms(60),
    ])
  })

  test.each(['RunFailed', 'RunErrored', 'RunCancelled', 'RunExpired'] as const)(
    '%s is due until its refund is booked',
    (type) => {
      expect(due(charged(), requested, started(), ended(type))).toEqual(['refund', ms(3)])
      expect(due(charged(), requested, started(), ended(type), refunded)).toBeUndefined()
    },
  )

  test('a success has no deadline unless a part is refunded', () => {
    expect(due(charged(), requested, started(), stored, ended('RunSucceeded', 0))).toBeUndefined()
    expect(due(charged(), requested, started(), stored, ended('RunSucceeded', 1))).toEqual(['refund', ms(4)])
  })

  test('a run cancelled in the queue waits for its refund', () => {
    expect(due(charged(), requested, cancelAsked, ended('RunCancelled'))).toEqual(['refund', ms(3)])
  })

  test('a charge whose run was not admitted waits for its refund', () => {
    expect(due(charged(), notAdmitted)).toEqual(['refund', ms(1)])
    expect(fold(deadlines, charged(), notAdmitted, refunded).size).toBe(0)
  })

  test('a charge for a further block moves no deadline', () => {
    expect(due(charged(), requested, started(), charged(1))).toEqual(['lease', ms(32)])
    expect(due(charged(), requested, started(), ended('RunErrored'), charged(1))).toEqual(['refund', ms(3)])
  })

  test('a block that a lost worker charged after the refund waits for another refund', () => {
    const settled = [charged(), requested, started(), ended('RunErrored'), refunded]
    expect(due(...settled, charged(1))).toEqual(['refund', ms(5)])
    expect(due(...settled, charged(1), refunded)).toBeUndefined()
  })

  test('a block that a lost worker charged and the end does not count waits for its refund', () => {
    const history = [charged(), requested, started(), requeued('worker-lost'), started(2), charged(1)]
    expect(due(...history, ended('RunSucceeded', 0))).toEqual(['refund', ms(6)])
    expect(due(...history, ended('RunSucceeded', 0), refunded)).toBeUndefined()
  })

  test('a block that the end counts and keeps leaves no deadline', () => {
    const success = { ...ended('RunSucceeded', 0).data, charged: 8 } as EventData<'RunSucceeded'>
    const history = [charged(), requested, started(), charged(1)]
    expect(due(...history, { type: 'RunSucceeded', data: success })).toBeUndefined()
  })
})
