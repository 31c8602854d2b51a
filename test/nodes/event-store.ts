/**
 * The event store of the nodes: the stand-in, or a real server by the command that EVENTSTORE_COMMAND holds, which is
 * given a folder and a port.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { type EventStoreProcess, startEventStoreProcess } from '../eventstore/process.ts'

/** @param port of an earlier one on the same folder, to be that one again */
export async function startEventStore(
  folder: string,
  port?: number,
): Promise<Pick<EventStoreProcess, 'port' | 'kill'>> {
  const command = process.env.EVENTSTORE_COMMAND
  if (!command) return startEventStoreProcess(port === undefined ? { folder } : { folder, port })
  const at = port ?? 20_000 + Math.floor(Math.random() * 2000)
  const child = spawn(command, [folder, String(at)], { stdio: 'ignore' })
  const ended = new Promise((done) => child.once('exit', done))
  while (!(await isLive(at))) await new Promise((go) => setTimeout(go, 100))
  return {
    port: at,
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended
    },
  }
}

const isLive = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/live`).then(
    ({ status }) => status === 204,
    () => false,
  )
