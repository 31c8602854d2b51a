/**
 * The contract of read models.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { nextTurn } from '../../src/async/delay.ts'
import type { Position } from '../../src/log/event-log.ts'
import { type Checkpoint, type Model, nextOf, type ReadModels, type Row } from '../../src/read/read-models.ts'
import { type At, build, goOn, publish } from '../support/read-models.ts'

/** An empty store; `reopen` closes it and opens the same store again. */
export type OpenReadModels = {
  readonly models: ReadModels
  reopen(): Promise<ReadModels>
  close(): Promise<void>
}

type Thing = Row & {
  readonly id: string
  readonly team: string | null
  readonly kind?: string
  readonly size: number | null
}

const things: Model<Thing> = {
  name: 'things',
  version: 1,
  indexes: { by_size: ['size'], by_team: ['team', 'size'], by_kind: ['team', 'kind', 'id'] },
}
const others: Model = { name: 'others', version: 1, indexes: {} }
const others2: Model = { name: 'others', version: 2, indexes: { by_team: ['team', 'size'] } }

const at = (position: number, logId = 'log0000000000001'): At => ({
  logId,
  position: position as Position,
})
const thing = (id: string, team: string | null, size: number | null, kind?: string): Thing =>
  kind === undefined ? { id, team, size } : { id, team, size, kind }

/** Registers the tests for a back end. */
export function readModelsContract(name: string, open: () => Promise<OpenReadModels>): void {
  describe(`read models on ${name}`, () => {
    let opened: OpenReadModels
    let models: ReadModels
    beforeEach(async () => {
      opened = await open()
      models = opened.models
    })
    afterEach(() => opened.close())

    const byId = (rows: readonly Thing[]) => rows.map((row) => [row.id, row] as const)
    const fill = async (rows: readonly Thing[], to = at(1)) =>
      expect(await publish(models, things, to, byId(rows))).toBe(true)
    const change = async (rows: readonly (readonly [string, Row | null])[], to: At) =>
      expect(await goOn(models, things, to, rows)).toBe(true)

    test('a model that was never written is empty and has no checkpoint', async () => {
      expect(await models.checkpoint(things)).toBeNull()
      expect(await models.get(things, 'a')).toBeUndefined()
      expect(await models.getMany(things, ['a', 'b'])).toEqual([undefined, undefined])
      expect(await models.list(things, 'by_size', { equals: [], order: 'ascending', limit: 10 })).toEqual([])
    })

    test('rows come back as they were written, byte for byte, in the order of the requested keys', async () => {
      const row = {
        id: 'ä"\\\u2028',
        team: 'T',
        size: 1.5,
        deep: { z: [1, null, { y: '🚀' }], a: '' },
      } as Thing
      await fill([row, thing('b', null, null)])
      expect(JSON.stringify(await models.get(things, row.id))).toBe(JSON.stringify(row))
      expect(await models.getMany(things, ['b', 'none', row.id])).toEqual([
        thing('b', null, null),
        undefined,
        row,
      ])
      expect(await models.getMany(things, [])).toEqual([])
    })

    test('a changed row is updated in all its lists, and a deleted row is removed from them', async () => {
      await fill([thing('a', 'T', 1), thing('b', 'T', 2)])
      await change(byId([thing('a', 'U', 3)]), at(2))
      const list = (team: string) =>
        models.list(things, 'by_team', { equals: [team], order: 'ascending', limit: 10 })
      expect(await list('T')).toEqual([thing('b', 'T', 2)])
      expect(await list('U')).toEqual([thing('a', 'U', 3)])
      await change([['a', null]], at(3))
      expect(await list('U')).toEqual([])
      expect(await models.get(things, 'a')).toBeUndefined()
    })

    test('deleting a missing row is no error', async () => {
      await fill([])
      await change([['a', null]], at(2))
      expect(await models.checkpoint(things)).toMatchObject(at(2))
    })

    test('a commit from a wrong checkpoint writes nothing to that model, and to other models all or nothing', async () => {
      await fill([thing('a', 'T', 1)])
      await publish(models, others, at(1))
      const is = (await models.checkpoint(things)) as Checkpoint
      const wrong = [at(0), at(2), at(1, 'log0000000000002'), { generation: is.generation + 1 }]
      let position = 1
      for (const other of wrong) {
        const from = { ...is, ...other }
        const its = (await models.checkpoint(others)) as Checkpoint
        position = its.position + 1
        const row = { o: position }
        const committed = await models.commit([
          { model: others, from: its, to: { ...its, ...at(position) }, rows: new Map([['o', row]]) },
          { model: things, from, to: { ...from, ...at(5) }, rows: new Map([['a', null]]) },
        ])
        expect(committed).toBe(false)
        const isWritten = (await models.checkpoint(others))?.position === position
        if (isWritten) expect(await models.get(others, 'o')).toEqual(row)
        else expect(await models.get(others, 'o')).not.toEqual(row)
      }
      expect(await models.checkpoint(things)).toEqual(is)
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
    })

    test('a commit to a missing generation writes nothing', async () => {
      const from = { ...at(0), generation: 1 }
      const change = { from, to: { ...from, ...at(1) }, rows: new Map([['a', thing('a', 'T', 1)]]) }
      expect(await models.commit([{ model: things, ...change }])).toBe(false)
      expect(await models.commit([{ model: nextOf(things), ...change }])).toBe(false)
      expect(await models.checkpoint(things)).toBeNull()
      expect(await models.get(things, 'a')).toBeUndefined()
    })

    test('only one of two concurrent commits from the same checkpoint is written', async () => {
      await fill([])
      const from = (await models.checkpoint(things)) as Checkpoint
      const outcomes = await Promise.all(
        [2, 3].map((n) => {
          const rows = new Map([[`${n}`, thing(`${n}`, 'T', n)]])
          return models.commit([{ model: things, from, to: { ...from, ...at(n) }, rows }])
        }),
      )
      expect(outcomes.filter(Boolean).length).toBe(1)
      const rows = await models.list(things, 'by_size', { equals: [], order: 'ascending', limit: 10 })
      expect(rows.length).toBe(1)
      expect(await models.checkpoint(things)).toMatchObject(at(rows[0]?.size ?? 0))
    })

    test('a commit is written after the commit before it, and not at all if that one failed', async () => {
      await fill([thing('a', 'T', 1)])
      const is = (await models.checkpoint(things)) as Checkpoint
      const commit = (size: number, from: Checkpoint, before?: Promise<boolean>) => {
        const to = { ...from, position: (from.position + 1) as Position }
        const rows = new Map([['a', thing('a', 'T', size)]])
        return { to, done: models.commit([{ model: things, from, to, rows }], before) }
      }
      expect(await commit(2, is, Promise.resolve(false)).done).toBe(false)
      await expect(commit(3, is, Promise.reject(new Error('the disk is full'))).done).rejects.toThrow(
        'is full',
      )
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
      const before = Promise.withResolvers<boolean>()
      const first = commit(4, is, before.promise)
      const second = commit(5, first.to, first.done)
      expect(await models.checkpoint(things)).toEqual(is)
      before.resolve(true)
      expect(await Promise.all([first.done, second.done])).toEqual([true, true])
      expect(await models.checkpoint(things)).toEqual(second.to)
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 5))
    })

    test('rows and checkpoints of several models are written together, and survive a restart', async () => {
      await fill([])
      await publish(models, others, at(1))
      const changes = await Promise.all(
        [things, others].map(async (model, i) => {
          const from = (await models.checkpoint(model)) as Checkpoint
          const rows = new Map<string, Row>(i === 0 ? [['a', thing('a', 'T', 1)]] : [['o', { o: 1 }]])
          return { model, from, to: { ...from, ...at(i === 0 ? 7 : 9) }, rows }
        }),
      )
      expect(await models.commit(changes)).toBe(true)
      models = await opened.reopen()
      expect(await models.checkpoint(things)).toEqual(changes[0]!.to)
      expect(await models.checkpoint(others)).toEqual(changes[1]!.to)
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
      expect(await models.get(others, 'o')).toEqual({ o: 1 })
      expect(
        await models.list(things, 'by_team', { equals: ['T'], order: 'ascending', limit: 1 }),
      ).toHaveLength(1)
    })

    test('positions may be as large as the largest safe integer', async () => {
      const far = at(Number.MAX_SAFE_INTEGER - 1)
      await fill([], far)
      expect(await models.checkpoint(things)).toMatchObject(far)
      await change([], at(Number.MAX_SAFE_INTEGER))
    })

    test('lists are ordered by their last field and bounded on both sides', async () => {
      await fill([5, 3, 10, 1, 2].map((n) => thing(`k${n}`, 'T', n)))
      const sizes = async (query: { after?: number; upTo?: number; down?: boolean; limit?: number }) => {
        const { after, upTo, down, limit = 10 } = query
        const order = down ? 'descending' : 'ascending'
        const listQuery = { equals: [], after, upTo, order, limit } as const
        const rows = await models.list(things, 'by_size', listQuery)
        expect(await models.count(things, 'by_size', listQuery)).toBe(rows.length)
        return rows.map((row) => row.size)
      }
      expect(await sizes({})).toEqual([1, 2, 3, 5, 10])
      expect(await sizes({ down: true })).toEqual([10, 5, 3, 2, 1])
      expect(await sizes({ limit: 2 })).toEqual([1, 2])
      expect(await sizes({ after: 2 })).toEqual([3, 5, 10])
      expect(await sizes({ after: 2, limit: 1 })).toEqual([3])
      expect(await sizes({ after: 5, down: true })).toEqual([3, 2, 1])
      expect(await sizes({ upTo: 3 })).toEqual([1, 2, 3])
      expect(await sizes({ upTo: 3, down: true })).toEqual([3, 2, 1])
      expect(await sizes({ after: 1, upTo: 5 })).toEqual([2, 3, 5])
      expect(await sizes({ after: 2.5, upTo: 2.6 })).toEqual([])
    })

    test('rows with equal last fields come in the order of their keys', async () => {
      await fill(['c', 'a', 'b'].map((id) => thing(id, 'T', 1)))
      const ids = async (order: 'ascending' | 'descending') =>
        (await models.list(things, 'by_team', { equals: ['T'], order, limit: 10 })).map((row) => row.id)
      expect(await ids('ascending')).toEqual(['a', 'b', 'c'])
      expect(await ids('descending')).toEqual(['c', 'b', 'a'])
    })

    test('a list by several fields returns the rows that match all of them, ordered by text too', async () => {
      await fill([
        thing('b', 'T', 1, 'x'),
        thing('a', 'T', 1, 'x'),
        thing('c', 'T', 1, 'y'),
        thing('d', 'U', 1, 'x'),
        thing('e', 'T', null, 'x'),
      ])
      const list = (after?: string) =>
        models.list(things, 'by_kind', { equals: ['T', 'x'], after, order: 'ascending', limit: 10 })
      expect((await list()).map((row) => row.id)).toEqual(['a', 'b', 'e'])
      expect((await list('a')).map((row) => row.id)).toEqual(['b', 'e'])
    })

    test('a row without one of the fields is missing from that list, but not from others', async () => {
      await fill([thing('a', null, 1, 'x'), thing('b', 'T', null), thing('c', 'T', 2)])
      const by = async (index: string, equals: string[]) =>
        (await models.list(things, index, { equals, order: 'ascending', limit: 10 })).map((row) => row.id)
      expect(await by('by_size', [])).toEqual(['a', 'c'])
      expect(await by('by_team', ['T'])).toEqual(['c'])
      expect(await by('by_kind', ['T', 'x'])).toEqual([])
    })

    test('a list distinguishes the number 1 from the text 1', async () => {
      await fill([thing('a', '1', 1)])
      const list = (equals: (string | number)[]) =>
        models.list(things, 'by_team', { equals, order: 'ascending', limit: 10 })
      expect(await list(['1'])).toHaveLength(1)
      expect(await list([1])).toHaveLength(0)
    })

    test('an undeclared list and a list without its equal fields are refused with a TypeError', async () => {
      const query = { equals: [], order: 'ascending', limit: 1 } as const
      await expect(models.list(things, 'by_colour', query)).rejects.toThrow(TypeError)
      await expect(models.list(things, 'by_team', query)).rejects.toThrow(TypeError)
    })

    test('two versions of a model exist side by side', async () => {
      const newer: Model<Thing> = { ...things, version: 2 }
      await fill([thing('a', 'T', 1)], at(9))
      expect(await models.checkpoint(newer)).toBeNull()
      expect(await models.get(newer, 'a')).toBeUndefined()
      expect(await publish(models, newer, at(3), [['a', thing('a', 'V', 2)]])).toBe(true)
      models = await opened.reopen()
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
      expect(await models.get(newer, 'a')).toEqual(thing('a', 'V', 2))
    })

    test('texts are ordered by their bytes and numbers by their values, whatever they contain', async () => {
      const texts = [
        '',
        '\0',
        '\0\0',
        '\x01',
        '\x02',
        '\x03',
        'a',
        'a\0',
        'a\0b',
        'a\x01',
        'a\x02',
        'ab',
        'b',
        'ä',
        '\uffff',
        '🚀',
      ]
      const numbers = [-1e300, -2.5, -2, -0.001, 0, 1e-300, 0.5, 2, 10, 2 ** 53 - 1, 1e300]
      const sizes = [...numbers, ...texts]
      const rows = sizes.map((size, i) => ({ id: `k${i}`, team: 'T\0', size, kind: 'x' }))
      await publish(
        models,
        others2,
        at(1),
        rows.map((row) => [row.id, row]),
      )
      const list = async (query: {
        after?: string | number | undefined
        upTo?: string | number
        down?: boolean
      }) => {
        const order = query.down ? 'descending' : 'ascending'
        const listQuery = {
          equals: ['T\0'],
          order,
          limit: 100,
          after: query.after,
          upTo: query.upTo,
        } as const
        return (await models.list(others2, 'by_team', listQuery)).map((row) => row.size)
      }
      expect(await list({})).toEqual(sizes)
      expect(await list({ down: true })).toEqual(sizes.toReversed())
      for (const [i, size] of sizes.entries()) {
        expect(await list({ after: size })).toEqual(sizes.slice(i + 1))
        expect(await list({ upTo: size })).toEqual(sizes.slice(0, i + 1))
        expect(await list({ after: size, down: true })).toEqual(sizes.slice(0, i).toReversed())
        expect(await list({ upTo: size, down: true })).toEqual(sizes.slice(0, i + 1).toReversed())
        expect(await list({ upTo: size, after: sizes[3], down: true })).toEqual(
          sizes.slice(0, Math.min(3, i + 1)).toReversed(),
        )
      }
    })

    test('rows that are replaced many times are only in the lists of their last state', async () => {
      await fill([], at(0))
      let last = new Map<string, Thing>()
      for (let round = 1; round <= 12; round++) {
        const rows = Array.from({ length: 40 }, (_, i): [string, Thing | null] => {
          const seed = (i * 7 + round * 13) % 11
          const row = thing(`k${i}`, ['0', 'T', null][seed % 3]!, seed, ['0', 'x'][seed % 2])
          return [row.id, seed === 4 ? null : row]
        })
        await change(rows, at(round))
        last = new Map(rows.filter((entry): entry is [string, Thing] => entry[1] !== null))
        for (const team of ['0', 'T']) {
          const rowsOfTeam = await models.list(things, 'by_team', {
            equals: [team],
            order: 'ascending',
            limit: 100,
          })
          const expected = [...last.values()].filter((row) => row.team === team)
          expect(new Set(rowsOfTeam.map((row) => row.id))).toEqual(new Set(expected.map((row) => row.id)))
          expect(rowsOfTeam).toHaveLength(expected.length)
        }
        const all = await models.list(things, 'by_size', { equals: [], order: 'ascending', limit: 100 })
        expect(all).toHaveLength(last.size)
      }
    })

    test('a list shows all of a commit or nothing of it', async () => {
      const rows = (team: string) => Array.from({ length: 30 }, (_, i) => thing(`k${i}`, team, i))
      await fill(rows('T'))
      let isOver = false
      const reading = (async () => {
        let looks = 0
        for (; !isOver; looks++) {
          for (const team of ['T', 'U']) {
            const query = { equals: [team], order: 'ascending', limit: 100 } as const
            const rowsOfTeam = await models.list(things, 'by_team', query)
            expect(rowsOfTeam).toEqual(rowsOfTeam.length === 0 ? [] : rows(team))
          }
          await nextTurn()
        }
        return looks
      })()
      for (let n = 2; n < 100; n++) await change(byId(rows(n % 2 ? 'T' : 'U')), at(n))
      isOver = true
      expect(await reading).toBeGreaterThan(0)
    })

    test('a next generation is built beside the current one, survives a restart, and replaces it in one step', async () => {
      const next = nextOf(things)
      const list = (team: string) =>
        models.list(things, 'by_team', { equals: [team], order: 'ascending', limit: 10 })
      await fill([thing('a', 'T', 1), thing('old', 'T', 9)])
      const current = await models.checkpoint(things)
      const begun = await models.begin(things, at(0).logId)
      expect(begun).toMatchObject(at(0))
      expect(await models.checkpoint(next)).toEqual(begun)
      expect(await goOn(models, next, at(1), [['a', thing('a', 'U', 1)]])).toBe(true)
      models = await opened.reopen()
      expect(await goOn(models, next, at(3), [['a', thing('a', 'U', 3)]])).toBe(true)
      expect(await models.get(next, 'a')).toEqual(thing('a', 'U', 3))
      expect(await list('T')).toEqual([thing('a', 'T', 1), thing('old', 'T', 9)])
      expect(await models.checkpoint(things)).toEqual(current)
      expect(await models.publish(things)).toBe(true)
      expect(await models.checkpoint(things)).toEqual({ ...begun, ...at(3) })
      expect(await models.get(things, 'old')).toBeUndefined()
      expect(await list('T')).toEqual([])
      expect(await list('U')).toEqual([thing('a', 'U', 3)])
      expect(await models.checkpoint(next)).toBeNull()
      expect(await models.get(next, 'a')).toBeUndefined()
      models = await opened.reopen()
      expect(await list('U')).toEqual([thing('a', 'U', 3)])
    })

    test('publish without a next generation changes nothing', async () => {
      expect(await models.publish(things)).toBe(true)
      expect(await models.checkpoint(things)).toBeNull()
      await fill([thing('a', 'T', 1)])
      expect(await models.publish(things)).toBe(true)
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
    })

    test('begin resumes a next generation, and starts a new one for another log or on request', async () => {
      const next = nextOf(things)
      const { logId } = at(0)
      const begun = await models.begin(things, logId)
      expect(await goOn(models, next, at(4), [['a', thing('a', 'T', 1)]])).toBe(true)
      expect(await models.begin(things, logId)).toEqual({ ...begun, ...at(4) })
      for (const [log, anew] of [
        [logId, true],
        ['log0000000000002', false],
      ] as const) {
        const other = await models.begin(things, log, anew)
        expect(other).toMatchObject(at(0, log))
        expect(other.generation).not.toBe(begun.generation)
        expect(await models.get(next, 'a')).toBeUndefined()
        await goOn(models, next, at(4, log), [['a', thing('a', 'T', 1)]])
      }
    })

    test('a commit from a checkpoint of an earlier generation writes nothing, even at the same position', async () => {
      await fill([thing('a', 'T', 1)])
      for (let size = 1; size <= 3; size++) {
        const stale = (await models.checkpoint(things)) as Checkpoint
        await fill([thing('a', 'U', size)])
        const is = await models.checkpoint(things)
        const to = { ...stale, ...at(2) }
        expect(await models.commit([{ model: things, from: stale, to, rows: new Map([['a', null]]) }])).toBe(
          false,
        )
        expect(await models.checkpoint(things)).toEqual(is)
        const list = await models.list(things, 'by_size', { equals: [], order: 'ascending', limit: 10 })
        expect(list).toEqual([thing('a', 'U', size)])
      }
      await change([['a', null]], at(2))
      expect(await models.get(things, 'a')).toBeUndefined()
    })

    test('a next generation that is behind is published only on request, and one of another log always', async () => {
      await fill([thing('a', 'T', 1)], at(5))
      await build(models, things, at(4), [['a', thing('a', 'U', 2)]])
      expect(await models.publish(things)).toBe(false)
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
      expect(await models.get(nextOf(things), 'a')).toEqual(thing('a', 'U', 2))
      expect(await models.publish(things, true)).toBe(true)
      expect(await models.checkpoint(things)).toMatchObject(at(4))
      const elsewhere = at(2, 'log0000000000002')
      expect(await publish(models, things, elsewhere, [['b', thing('b', 'U', 2)]])).toBe(true)
      expect(await models.checkpoint(things)).toMatchObject(elsewhere)
      expect(await models.getMany(things, ['a', 'b'])).toEqual([undefined, thing('b', 'U', 2)])
    })

    test('publishing an empty next generation empties the model, and later commits work', async () => {
      await fill([thing('a', 'T', 1)])
      await fill([], at(2))
      expect(await models.get(things, 'a')).toBeUndefined()
      await change(byId([thing('b', 'T', 1)]), at(3))
      expect(await models.get(things, 'b')).toEqual(thing('b', 'T', 1))
    })

    test('a large commit is written completely', async () => {
      const rows = Array.from({ length: 5000 }, (_, i) => thing(`k${i}`, `T${i % 7}`, i))
      await fill(rows)
      const keys = rows.map((row) => row.id)
      expect(await models.getMany(things, keys)).toEqual(rows)
      const last = await models.list(things, 'by_team', { equals: ['T3'], order: 'descending', limit: 1 })
      expect(last).toEqual([thing('k4994', 'T3', 4994)])
    })
  })
}
