/**
 * The canary over a shop of lamps: its site on loopback, a stand of the worker, and a clock of its own.
 *
 * @module
 */
import { join } from 'node:path'
import { type Site, startSite } from '../../../rigs/servers/site.ts'
import { CANARY_ACCOUNT_ID } from '../../../src/domain/health/canary.ts'
import { accountStream, idOf, type RunId } from '../../../src/domain/ids.ts'
import { isEnded } from '../../../src/domain/run.ts'
import { DailyCanary } from '../../../src/health/canary/daily.ts'
import { DAY_MS, dayOf } from '../../../src/health/canary/probes.ts'
import type { Settings } from '../../worker/stand.ts'
import { openStand } from '../../worker/stand.ts'

export const GOOD = '{"lamps": [{"title": "Desk lamp", "price": 3}, {"title": "Lantern", "price": 4}]}'
export const EMPTY = '{"lamps": []}'
export const CHANGED = '{"lanterns": []}'

/** A run of the canary, as the log has it. */
export type CanaryRun = {
  readonly id: RunId
  /** since midnight of the first day, in milliseconds */
  readonly at: number
  readonly task: string
}

export type Lamps = Awaited<ReturnType<typeof openLamps>>

/** Opens the shop; its clock stands at midnight of tomorrow. */
export async function openLamps(settings: Settings = {}) {
  const answers = { body: GOOD }
  const asked: string[] = []
  const cookies: (string | undefined)[] = []
  const site: Site = await startSite((request, response) => {
    asked.push(new URL(request.url ?? '/', 'http://lamps').searchParams.get('q') ?? '')
    cookies.push(request.headers.cookie)
    response.end(answers.body)
  })
  const midnight = (dayOf(Date.now()) + 1) * DAY_MS
  /** Time passes only between rounds. */
  let time = midnight
  const now = () => time
  const stand = await openStand({ plugins: join(import.meta.dirname, 'plugins'), now })
  await stand.startWorker({ sourceOrigins: new Map([['lamps', site.origin]]), ...settings })
  const deps = { ...stand, logger: { warn: () => {} } }

  /** All runs of the canary, oldest first. */
  async function runs(): Promise<CanaryRun[]> {
    const events = await stand.log.readAll(null, 10_000)
    return events.flatMap(({ event, stream, meta }) => {
      if (event?.type !== 'RunRequested' || meta.account_id !== CANARY_ACCOUNT_ID) return []
      return [{ id: idOf(stream) as RunId, at: Date.parse(meta.at) - midnight, task: event.data.task_key }]
    })
  }

  return {
    stand,
    answers,
    asked,
    cookies,
    midnight,
    runs,
    /** a canary of one node, which has just started */
    node: () => new DailyCanary(deps),
    /** the time since the first midnight, in milliseconds */
    goTo(ms: number) {
      time = midnight + ms
    },
    /** One round of a node; the runs that it starts have ended afterwards. */
    async round(node: DailyCanary) {
      await node.round()
      for (const { id } of await runs()) await stand.until(id, isEnded)
    },
    /** the types of the events of the account `canary` */
    async accountEvents() {
      return (await stand.log.readStream(accountStream(CANARY_ACCOUNT_ID))).map(({ type }) => type)
    },
    async close() {
      await stand.close()
      await site.stop()
    },
  }
}
