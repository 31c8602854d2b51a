/**
 * What every back end of the read models must do.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Position } from '../../src/log/event-log.ts'
import type { Changes, Model, ProjectedTo, ReadModels, Row } from '../../src/read/read-models.ts'

/** A back end with an empty store; `reopen` closes it and opens the same store again. */
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

const at = (position: number, logId = 'log0000000000001'): ProjectedTo => ({
  logId,
  position: position as Position,
})
const thing = (id: string, team: string | null, size: number | null, kind?: string): Thing =>
  kind === undefined ? { id, team, size } : { id, team, size, kind }

function change(
  model: Model,
  from: ProjectedTo | null,
  to: ProjectedTo,
  rows: readonly (readonly [string, Row | null])[] = [],
): Changes {
  return { model, from, to, rows: new Map(rows) }
}

/** Tells a back end what it must do. */
export function readModelsContract(name: string, open: () => Promise<OpenReadModels>): void {
  describe(`read models on ${name}`, () => {
    let opened: OpenReadModels
    let models: ReadModels
    beforeEach(async () => {
      opened = await open()
      models = opened.models
    })
    afterEach(() => opened.close())

    const fill = async (rows: readonly Thing[], to = at(1), from: ProjectedTo | null = null) =>
      expect(
        await models.commit([
          change(
            things,
            from,
            to,
            rows.map((row) => [row.id, row]),
          ),
        ]),
      ).toBe(true)

    test('a model that nobody wrote is empty and stands nowhere', async () => {
      expect(await models.position(things)).toBeNull()
      expect(await models.get(things, 'a')).toBeUndefined()
      expect(await models.getMany(things, ['a', 'b'])).toEqual([undefined, undefined])
      expect(await models.list(things, 'by_size', { equals: [], order: 'ascending', limit: 10 })).toEqual([])
    })

    test('rows come back as they were written, to the byte, in the order that was asked for', async () => {
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

    test('a row is replaced in all its lists, and deleted from them', async () => {
      await fill([thing('a', 'T', 1), thing('b', 'T', 2)])
      await fill([thing('a', 'U', 3)], at(2), at(1))
      const list = (team: string) =>
        models.list(things, 'by_team', { equals: [team], order: 'ascending', limit: 10 })
      expect(await list('T')).toEqual([thing('b', 'T', 2)])
      expect(await list('U')).toEqual([thing('a', 'U', 3)])
      expect(await models.commit([change(things, at(2), at(3), [['a', null]])])).toBe(true)
      expect(await list('U')).toEqual([])
      expect(await models.get(things, 'a')).toBeUndefined()
    })

    test('deleting a row that is not there is no error', async () => {
      expect(await models.commit([change(things, null, at(1), [['a', null]])])).toBe(true)
      expect(await models.position(things)).toEqual(at(1))
    })

    test('a commit from elsewhere writes nothing, in none of its models', async () => {
      await fill([thing('a', 'T', 1)])
      const wrong = [null, at(0), at(2), at(1, 'log0000000000002')]
      for (const from of wrong) {
        const committed = await models.commit([
          change(others, null, at(5), [['o', { o: 1 }]]),
          change(things, from, at(5), [['a', null]]),
        ])
        expect(committed).toBe(false)
      }
      expect(await models.position(others)).toBeNull()
      expect(await models.get(others, 'o')).toBeUndefined()
      expect(await models.position(things)).toEqual(at(1))
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
    })

    test('of two commits at once from the same place one is written', async () => {
      const outcomes = await Promise.all(
        [1, 2].map((n) => models.commit([change(things, null, at(n), [[`${n}`, thing(`${n}`, 'T', n)]])])),
      )
      expect(outcomes.filter(Boolean).length).toBe(1)
      const rows = await models.list(things, 'by_size', { equals: [], order: 'ascending', limit: 10 })
      expect(rows.length).toBe(1)
      expect(await models.position(things)).toEqual(at(rows[0]?.size ?? 0))
    })

    test('rows and positions of several models are written together, and outlive a restart', async () => {
      const committed = await models.commit([
        change(things, null, at(7), [['a', thing('a', 'T', 1)]]),
        change(others, null, at(9), [['o', { o: 1 }]]),
      ])
      expect(committed).toBe(true)
      models = await opened.reopen()
      expect(await models.position(things)).toEqual(at(7))
      expect(await models.position(others)).toEqual(at(9))
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
      expect(await models.get(others, 'o')).toEqual({ o: 1 })
      expect(
        await models.list(things, 'by_team', { equals: ['T'], order: 'ascending', limit: 1 }),
      ).toHaveLength(1)
    })

    test('positions may be as large as numbers are exact', async () => {
      const far = at(Number.MAX_SAFE_INTEGER - 1)
      await fill([], far)
      expect(await models.position(things)).toEqual(far)
      expect(await models.commit([change(things, far, at(Number.MAX_SAFE_INTEGER))])).toBe(true)
    })

    test('lists are ordered by their last field and bounded on both sides', async () => {
      await fill([5, 3, 10, 1, 2].map((n) => thing(`k${n}`, 'T', n)))
      const sizes = async (query: { after?: number; upTo?: number; down?: boolean; limit?: number }) => {
        const { after, upTo, down, limit = 10 } = query
        const order = down ? 'descending' : 'ascending'
        const rows = await models.list(things, 'by_size', { equals: [], after, upTo, order, limit })
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

    test('a list by several fields shows what equals them all, and texts are ordered too', async () => {
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

    test('a row without one of the fields is not in that list, but in the others', async () => {
      await fill([thing('a', null, 1, 'x'), thing('b', 'T', null), thing('c', 'T', 2)])
      const by = async (index: string, equals: string[]) =>
        (await models.list(things, index, { equals, order: 'ascending', limit: 10 })).map((row) => row.id)
      expect(await by('by_size', [])).toEqual(['a', 'c'])
      expect(await by('by_team', ['T'])).toEqual(['c'])
      expect(await by('by_kind', ['T', 'x'])).toEqual([])
    })

    test('numbers and texts are told apart', async () => {
      await fill([thing('a', '1', 1)])
      const list = (equals: (string | number)[]) =>
        models.list(things, 'by_team', { equals, order: 'ascending', limit: 10 })
      expect(await list(['1'])).toHaveLength(1)
      expect(await list([1])).toHaveLength(0)
    })

    test('a list that the model does not declare is refused', async () => {
      const query = { equals: [], order: 'ascending', limit: 1 } as const
      expect(models.list(things, 'by_colour', query)).rejects.toThrow(TypeError)
      expect(models.list(things, 'by_team', query)).rejects.toThrow(TypeError)
    })

    test('a reset forgets rows and position of one version alone', async () => {
      const newer: Model<Thing> = { ...things, version: 2 }
      await fill([thing('a', 'T', 1)])
      expect(await models.commit([change(newer, null, at(1), [['a', thing('a', 'V', 2)]])])).toBe(true)
      expect(await models.commit([change(others, null, at(1), [['o', { o: 1 }]])])).toBe(true)
      await models.reset(things)
      expect(await models.position(things)).toBeNull()
      expect(await models.get(things, 'a')).toBeUndefined()
      expect(
        await models.list(things, 'by_team', { equals: ['T'], order: 'ascending', limit: 1 }),
      ).toHaveLength(0)
      expect(await models.get(newer, 'a')).toEqual(thing('a', 'V', 2))
      expect(await models.position(others)).toEqual(at(1))
      await fill([thing('b', 'T', 1)])
      expect(await models.get(things, 'b')).toEqual(thing('b', 'T', 1))
    })

    test('two versions of a model live beside each other', async () => {
      const newer: Model<Thing> = { ...things, version: 2 }
      await fill([thing('a', 'T', 1)], at(9))
      expect(await models.position(newer)).toBeNull()
      expect(await models.commit([change(newer, null, at(3), [['a', thing('a', 'V', 2)]])])).toBe(true)
      models = await opened.reopen()
      expect(await models.get(things, 'a')).toEqual(thing('a', 'T', 1))
      expect(await models.get(newer, 'a')).toEqual(thing('a', 'V', 2))
    })

    test('large commits are written whole', async () => {
      const rows = Array.from({ length: 5000 }, (_, i) => thing(`k${i}`, `T${i % 7}`, i))
      await fill(rows)
      const keys = rows.map((row) => row.id)
      expect(await models.getMany(things, keys)).toEqual(rows)
      const last = await models.list(things, 'by_team', { equals: ['T3'], order: 'descending', limit: 1 })
      expect(last).toEqual([thing('k4994', 'T3', 4994)])
    })
  })
}
