/**
 * The pages of one run, for a run in another process: one at a time, closed with it.
 *
 * @module
 */
import type { Witness } from '../worker/door/witness.ts'
import type { Listener } from './answers.ts'
import type { Browsers } from './browsers.ts'
import { faultOf, type PageAnswer, type PageCall, PLAIN, toJson } from './calls.ts'
import type { Driver } from './page.ts'
import type { Site } from './requests.ts'

type Opened = {
  /** of the caller */
  readonly id: number
  readonly abort: AbortController
  readonly driver: Promise<Driver>
  readonly listeners: Map<number, Listener>
}

export class ServedPages {
  private opened: Opened | undefined

  constructor(
    private readonly browsers: Browsers,
    private readonly site: Site,
    private readonly witness?: Witness,
  ) {}

  /**
   * Does what is asked. Never throws.
   *
   * @param id of the page; a further one closes the one before
   */
  async answer(id: number, call: PageCall): Promise<PageAnswer> {
    try {
      return { value: (await this.perform(id, call)) ?? null }
    } catch (error) {
      return { fault: faultOf(error) }
    }
  }

  /** The run is over. */
  async close(): Promise<void> {
    const { opened } = this
    this.opened = undefined
    opened?.abort.abort(new Error('the page was closed'))
    // One that never opened needs no closing.
    const driver = await opened?.driver.catch(() => undefined)
    await driver?.close()
  }

  private async perform(id: number, call: PageCall): Promise<unknown> {
    if (call.method === 'open') return this.open(id, call.options.load ?? [])
    const { opened } = this
    if (opened?.id !== id) throw new Error('the page was closed')
    const driver = await opened.driver
    switch (call.method) {
      case 'listen':
        opened.listeners.set(call.listener, driver.answers(new RegExp(call.source, call.flags)))
        return null
      case 'next': {
        const arrived = await opened.listeners.get(call.listener)?.take(call.timeoutS ?? undefined)
        return arrived ? toJson(arrived) : null
      }
      case 'close':
        return this.close()
      default: {
        if (!PLAIN.has(call.method)) throw new TypeError(`a page does not ${call.method}`)
        const act = driver[call.method] as (...args: unknown[]) => Promise<unknown>
        return act.apply(driver, call.args)
      }
    }
  }

  private async open(id: number, load: NonNullable<Parameters<Browsers['open']>[0]['load']>): Promise<null> {
    const closing = this.close()
    const abort = new AbortController()
    const { site, witness } = this
    const driver = closing.then(() =>
      this.browsers.open({ site, load, signal: abort.signal, ...(witness ? { witness } : {}) }),
    )
    this.opened = { id, abort, driver, listeners: new Map() }
    await driver
    return null
  }
}
