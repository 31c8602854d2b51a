/** Waiting for a read model: independent of other models, and over only when readers see all rows. */
import { describe, expect, test } from 'bun:test'
import { publish } from '../../rigs/support/read-models.ts'
import { type Position, StoreUnavailable } from '../../src/log/event-log.ts'
import { waitingFor } from '../../src/read/wait-until-projected.ts'
import { accountId, History } from './history.ts'
import { altered, counted, counter, counts, workshop } from './projecting.ts'

const { newFile, openLog, openModels, start } = workshop()
/** A new version of a model, far enough behind to be projected separately. */
const filling = counter(2, 'filling')
const FAR = 1200

describe('waiting for a read model', () => {
  test('is not delayed by another model that is being filled', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const history = new History(log)
    for (let i = 0; i < FAR; i++) await history.grant()
    const first = await start(log, file)
    await first.caughtUp()
    await first.stop()
    const { promise: mayFill, resolve: letItFill } = Promise.withResolvers<void>()
    const models = altered(file, {
      commit: async (changes, before) => {
        if (changes.some(({ model }) => model.name === filling.name)) await mayFill
        return file.commit(changes, before)
      },
    })
    const projector = await start(log, models, [counts, filling])
    const waitUntilProjected = waitingFor(log, models, projector)
    for (let i = 0; i < 3; i++) {
      await history.grant()
      expect(await waitUntilProjected(counts, 20_000)).toBe(true)
      expect(await counted(models)).toBe(FAR + 1 + i)
    }
    expect(await waitUntilProjected(filling, 1)).toBe(false)
    letItFill()
    expect(await waitUntilProjected(filling, 60_000)).toBe(true)
  })

  test('ends at its timeout while the store is unavailable', async () => {
    const log = openLog()
    const file = openModels(newFile())
    let isAway = true
    const models = altered(file, {
      commit: async (changes, before) => {
        if (isAway) throw new StoreUnavailable('gone')
        return file.commit(changes, before)
      },
    })
    await new History(log).grant()
    const waitUntilProjected = waitingFor(log, models, await start(log, models))
    const patient = waitUntilProjected(counts, 60_000)
    const waits = await Promise.all(Array.from({ length: 500 }, () => waitUntilProjected(counts, 1)))
    expect(new Set(waits)).toEqual(new Set([false]))
    isAway = false
    expect(await patient).toBe(true)
    expect(await counted(models)).toBe(1)
  })

  test('is not over while the rows are of events that a restored log has lost', async () => {
    const log = openLog()
    const models = openModels(newFile())
    await new History(log).grant()
    await publish(models, counts, { logId: log.id, position: 2 as Position }, [[accountId(1), { n: 9 }]])
    expect(await waitingFor(log, models)(counts, 1)).toBe(false)
    expect(await waitingFor(log, models, await start(log, models))(counts, 60_000)).toBe(true)
    expect(await counted(models)).toBe(1)
  })

  test('is not over after the store has lost rows that the projector wrote', async () => {
    const log = openLog()
    const models = openModels(newFile())
    await new History(log).grant()
    const projector = await start(log, models)
    expect(await waitingFor(log, models, projector)(counts, 60_000)).toBe(true)
    const emptied = altered(models, { checkpoint: async () => null })
    expect(await waitingFor(log, emptied, projector)(counts, 1)).toBe(false)
  })
})
