/**
 * What a run does to the others in its process.
 *
 * @module
 */
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Context } from 'gleaner/plugin'
import { forge } from '../../../plugins/hostile/forge.ts'

/** What the site tells the bad run once all good runs wait. */
export type Orders = {
  /** its own folder, beside those of the others in its process */
  readonly folder: string
  /** a folder of the service */
  readonly secrets: string
  /** of the site */
  readonly port: number
}

/** Resolves with the last item of the run, if the run ends. */
type Harm = (context: Context, orders: Orders) => Promise<string>

const MB = 1024 * 1024
const SOCKETS = 1000
const sleep = (ms: number) => new Promise<void>((go) => setTimeout(go, ms))
const forEver = () => new Promise<never>(() => {})

export const HARM = {
  async throws() {
    setTimeout(() => {
      throw new Error('thrown in a timer')
    }, 5)
    return forEver()
  },
  async rejects() {
    void Promise.reject(new Error('nobody listens'))
    return forEver()
  },
  async loops() {
    for (;;);
  },
  async steps() {
    const buffers: Uint8Array[] = []
    for (;;) {
      buffers.push(new Uint8Array(8 * MB).fill(buffers.length + 1))
      await sleep(5)
    }
  },
  async gulps() {
    const kept = new Uint8Array(1024 * MB).fill(1)
    await forEver()
    return String(kept.length)
  },
  async exits() {
    process.exit(0)
  },
  async logs({ log, progress }) {
    for (let n = 0; n < 5000; n++) {
      log('again and again')
      progress(n)
    }
    return 'it has said all'
  },
  async prints() {
    for (let n = 0; n < 2000; n++) {
      console.log('printed '.repeat(1000))
      if (n % 100 === 0) await sleep(1)
    }
    return 'it has printed all'
  },
  async speaks() {
    return `${typeof process.send} ${typeof process.disconnect}`
  },
  async floods() {
    const messages = Array.from({ length: 1000 }, () => ({ type: 'alive' }))
    for (;;) {
      forge(messages)
      await sleep(0)
    }
  },
  /** In the name of a run that there will never be. */
  async forges() {
    forge([{ type: 'items', run: 1_000_000, text: '{"said":"forged"}', count: 1 }])
    return forEver()
  },
  /** In the name of the first run of the process, which has ended. */
  async haunts() {
    const items = { text: '{"said":"forged"}', count: 1 }
    forge([
      { type: 'items', run: 1, ...items },
      { type: 'charge', run: 1, id: 1_000_000, block: 2 },
      { type: 'log', run: 1, message: 'forged', fields: {} },
      {
        ...{ type: 'completed', run: 1, ...items, hasFolder: false, fill: null },
        end: { status: 'failed', code: 'not-found', detail: 'forged' },
      },
    ])
    return 'it has spoken'
  },
  async scribbles(_, { folder }) {
    const beside = join(folder, '..')
    for (const run of readdirSync(beside)) {
      writeFileSync(join(beside, run, '1000000'), 'scribbled')
      writeFileSync(join(beside, run, 'scribbled.txt'), 'scribbled')
    }
    return 'it has scribbled'
  },
  async links({ artifact }, { folder, secrets }) {
    const file = await artifact('mine.txt', 'text/plain')
    rmSync(folder, { recursive: true })
    symlinkSync(secrets, folder)
    await file.close()
    return 'it has linked'
  },
  async connects(_, { port }) {
    for (let n = 0; n < SOCKETS; n++) await connected(port)
    return 'it is connected'
  },
  /** Goes on after its signal, and tries everything that would count for it. */
  async ignores({ signal, log, progress, artifact, charge, fetch }, { port }) {
    await new Promise((go) => signal.addEventListener('abort', go, { once: true }))
    for (let n = 1; ; n++) {
      log('still here')
      progress(n)
      void charge(n).catch(() => {})
      void fetch('/cookie?name=late').catch(() => {})
      void artifact(`${n}.txt`, 'text/plain')
        .then((file) => file.close())
        .catch(() => {})
      try {
        // With 31 others in the pool, its run has the number 32.
        const said = { type: 'items', run: 32, text: '{"said":"late"}', count: 1 }
        forge([said, { type: 'charge', run: 32, id: 1_000_000 + n, block: 7 }])
      } catch {
        // Not possible on Deno.
      }
      await knock(port)
    }
  },
} satisfies Record<string, Harm>

function connected(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  connect(port, '127.0.0.1').once('connect', resolve).once('error', reject)
  return promise
}

/** Tells the site that its code goes on, past the client that the service would have stopped. */
function knock(port: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  request({ port, host: '127.0.0.1', path: '/knock' }, (reply) => reply.resume().once('end', resolve))
    .once('error', () => resolve())
    .end()
  return promise
}
