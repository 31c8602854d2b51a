/**
 * A process of plugins that says what a test plays, with real executions: for tests of what the service makes of
 * messages.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { BrowserHost } from '../../src/browser/host/host.ts'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import { Execution, type Request } from '../../src/worker/process/execution.ts'
import { PluginProcess } from '../../src/worker/process/plugin-process.ts'
import type { ToChild } from '../../src/worker/process/protocol.ts'
import type { Unfinished } from '../../src/worker/process/work-folder.ts'
import { quiet } from './quiet.ts'

/** Says nothing by itself, and dies only by {@link Played.exits}. */
class PlayedProcess extends EventEmitter {
  readonly pid = undefined
  readonly stdout = null
  readonly stderr = null
  readonly sentBatches: (readonly ToChild[])[] = []
  send(messages: readonly ToChild[], done?: (error: Error | null) => void): boolean {
    this.sentBatches.push(messages)
    done?.(null)
    return true
  }
}

const noBrowser = {
  pagesFor: () => ({
    call: async (_: number, call: { readonly method: string }) => ({
      fault: { message: call.method.trim() },
    }),
    close: async () => ({ changes: [], usage: { requests: 0, bytes: 0 } }),
  }),
} as unknown as BrowserHost
const noUnfinished = { give: () => false, keep: () => {}, drop: () => {} } as unknown as Unfinished

export type Played = ReturnType<typeof playProcess>

/** @param options.key see `keyOf` */
export function playProcess({ key = 'x', memoryMb = 512 } = {}) {
  const played = new PlayedProcess()
  const reports = { room: 0, exits: [] as unknown[] }
  const setup = { type: 'setup', userAgent: 'x', origins: {}, watchParent: false } as const
  const process = new PluginProcess(played as unknown as ChildProcess, '/nowhere', setup, quiet, {
    onRoom: () => void reports.room++,
    onExit: (cause) => void reports.exits.push(cause),
  })
  process.key = key
  const says = (...messages: readonly unknown[]) => void played.emit('message', messages)
  says({ type: 'alive' })
  const rateLimiter = new RateLimiter()
  let runs = 0
  return {
    process,
    /** the batches of messages to the process */
    sentBatches: played.sentBatches,
    /** what the pool was told */
    reports,
    says,
    exits(code: number | null, signal: string | null = null): void {
      played.emit('disconnect')
      played.emit('exit', code, signal)
    },
    /** Sends it a run. The first one has the number 1. */
    begin(hear: Request['hear'] = () => {}): Execution {
      const number = ++runs
      const job = {
        ...{ runId: `run_${number}`, module: 'x', taskKey: 'x.y', input: '{}' },
        until: Date.now() + 60_000,
        exit: null,
      }
      const source = { name: 'x', origin: 'https://x.example' }
      const execution = new Execution(
        number,
        { job, account: 'acc_1', memoryMb, source, hear },
        { rateLimiter, browser: noBrowser, unfinished: noUnfinished, waiting: new Set() },
      )
      execution.begin(process)
      return execution
    },
  }
}
