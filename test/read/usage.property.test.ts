/** Usage under random charges and refunds: each run counts for its task and for who started it, whoever books it. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Spent, usage } from '../../projections/usage.ts'
import {
  type AccountCommand,
  accountDecider,
  evolveRunCredits,
  type RunCredits,
} from '../../src/domain/account.ts'
import type { Actor, Metadata } from '../../src/domain/events.ts'
import type { RunId } from '../../src/domain/ids.ts'
import type { Handled } from '../../src/read/read-models.ts'
import { META } from '../domain/folded.ts'
import { A } from './given.ts'

const TASKS = ['forum.search', 'video.channel-shorts']
const ACTORS: readonly Actor[] = ['key:key_1', 'person:per_1', 'operator']
const RUNS = 4

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('kickoff', 'block', 'refund'),
    run: fc.integer({ min: 0, max: RUNS - 1 }),
    amount: fc.integer({ min: 0, max: 9 }),
    /** minutes since the step before */
    minutes: fc.integer({ min: 0, max: 30 }),
  }),
  { maxLength: 60 },
)
const runs = fc.array(fc.record({ task: fc.constantFrom(...TASKS), actor: fc.constantFrom(...ACTORS) }), {
  minLength: RUNS,
  maxLength: RUNS,
})

test('the sums of a task and of a starter are those of their runs', () => {
  fc.assert(
    fc.property(runs, steps, (of, taken) => {
      let state = accountDecider.initial
      let now = Date.UTC(2026, 10, 28)
      const paid: (RunCredits | undefined)[] = of.map(() => undefined)
      const booked: Handled<'CreditsCharged' | 'CreditsRefunded'>[] = []
      const act = (command: AccountCommand, run: number, actor: Actor) => {
        const meta: Metadata = { ...META, actor, at: new Date(now).toISOString() }
        const decision = accountDecider.decide({ ...command, paid: paid[run] } as AccountCommand, state)
        for (const event of 'refused' in decision ? [] : decision) {
          state = accountDecider.evolve(state, event, meta)
          if (event.type !== 'CreditsCharged' && event.type !== 'CreditsRefunded') continue
          paid[run] = evolveRunCredits(paid[run], event, actor)
          booked.push({ event, meta } as unknown as (typeof booked)[number])
        }
      }
      act({ type: 'open', accountId: A, name: 'a', credits: 100 }, -1, 'operator')
      act({ type: 'set-credits-level', accountId: A, level: 50 }, -1, 'operator')
      for (const { kind, run, amount, minutes } of taken) {
        now += minutes * 60_000
        const { task, actor } = of[run]!
        const about = { accountId: A, runId: `run_${run}` as RunId }
        const isPaid = paid[run] !== undefined
        if (kind === 'kickoff') act({ ...about, type: 'charge', taskKey: task, amount }, run, actor)
        else if (kind === 'refund')
          act({ ...about, type: 'refund', keep: amount, reason: 'failed' }, run, 'service')
        else if (isPaid) {
          const block = paid[run]!.blocks + 1
          act({ ...about, type: 'charge', taskKey: task, amount, block }, run, 'service')
        }
      }
      const rows = new Map<string, ReturnType<typeof usage.apply>>()
      for (const event of booked) {
        const key = usage.key(event)
        rows.set(key, usage.apply(rows.get(key) ?? undefined, event))
      }
      const summed = (field: 'tasks' | 'actors', name: string): Spent =>
        [...rows.values()]
          .map(
            (row) => (row as { readonly [field: string]: { readonly [name: string]: Spent } })[field]?.[name],
          )
          .reduce<Spent>(([a, b, c], [x, y, z] = [0, 0, 0]) => [a + x, b + y, c + z], [0, 0, 0])
      const expected = (isOf: (run: (typeof of)[number]) => boolean): Spent =>
        paid
          .filter((_, run) => isOf(of[run]!))
          .reduce<Spent>(
            ([a, b, c], credits) =>
              credits ? [a + credits.charged, b + credits.refunded, c + 1] : [a, b, c],
            [0, 0, 0],
          )
      for (const task of TASKS) expect(summed('tasks', task)).toEqual(expected((run) => run.task === task))
      for (const actor of ACTORS)
        expect(summed('actors', actor)).toEqual(expected((run) => run.actor === actor))
      const names = [...rows.values()].flatMap((row) => Object.keys({ ...row?.tasks, ...row?.actors }))
      expect(names.filter((name) => ![...TASKS, ...ACTORS].includes(name))).toEqual([])
    }),
    { numRuns: 300 },
  )
})
