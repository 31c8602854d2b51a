/**
 * Starts the fake as a separate process.
 *
 * @module
 */
import { type Child, startChild } from '../../support/child.ts'
import type { Command } from './main.ts'
import type { EventStoreOptions } from './server.ts'

export type EventStoreProcess = {
  readonly port: number
  readonly url: string
  readonly pid: number
  /** Sets faults; resolves when they are active. A stopped process does not answer. */
  command(command: Command): Promise<void>
  /** Starts another store with its own log in the same process. It ends with the process. */
  another(options?: EventStoreOptions): Promise<{ readonly port: number; readonly url: string }>
  /** Sends SIGKILL or the given signal and waits for the end, except with SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** @param options the port and folder of an earlier store start that store again */
export async function startEventStoreProcess(options: EventStoreOptions = {}): Promise<EventStoreProcess> {
  const child = startChild(new URL('main.ts', import.meta.url), ['--options', JSON.stringify(options)])
  const { port, url } = await answerOf(child)
  const ask = (command: Command) => {
    child.process.stdin!.write(`${JSON.stringify(command)}\n`)
    return answerOf(child)
  }
  return {
    port,
    url,
    pid: child.process.pid!,
    async command(command) {
      await ask(command)
    },
    another: (other = {}) => ask({ another: other }),
    async kill(signal = 'SIGKILL') {
      child.process.kill(signal)
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await child.ended
    },
  }
}

async function answerOf(child: Child): Promise<{ readonly port: number; readonly url: string }> {
  const { value, done } = await child.lines.next()
  if (done) throw new Error('the event store has ended')
  return JSON.parse(value)
}
