/**
 * The event store of the nodes: the fake, or a real server started by the command in EVENTSTORE_COMMAND with a folder
 * and a port.
 *
 * @module
 */
import { type EventStoreProcess, startEventStoreProcess } from '../../servers/eventstore/process.ts'
import { start } from '../../servers/processes.ts'

export type EventStoreServer = Pick<EventStoreProcess, 'port' | 'kill'>

/** How much of a server's output is shown when it fails, in characters. */
const KEPT = 20_000

/** @param port of an earlier server on the same folder, to replace it */
export function startEventStore(folder: string, port?: number): Promise<EventStoreServer> {
  const command = process.env.EVENTSTORE_COMMAND
  if (command) return startByCommand(command, folder, port ?? 20_000 + Math.floor(Math.random() * 2000))
  return startEventStoreProcess(port === undefined ? { folder } : { folder, port })
}

/**
 * Starts a real server. `endAll` ends it if the test has not.
 *
 * @param command a program, called with the folder and the port
 * @returns when the server is live
 * @throws with its output when it ends before that
 */
export async function startByCommand(
  command: string,
  folder: string,
  port: number,
): Promise<EventStoreServer> {
  const running = start(command, [folder, String(port)], { env: withoutSettings() })
  let isStopping = false
  const over = running.ended.then(
    ({ code, signal }) => `ended with ${code ?? signal}`,
    (error: Error) => `can't be started: ${error.message}`,
  )
  const failed = over.then((how) => {
    const { out, err } = running.printed
    const said = `EVENTSTORE_COMMAND: ${command} ${how}. It printed:\n${`${out}${err}`.slice(-KEPT)}`
    if (!isStopping && serves) console.error(said)
    throw new Error(said)
  })
  failed.catch(() => {})
  let serves = false
  while (!serves) {
    serves = await Promise.race([isLive(port), failed])
    if (!serves) await Promise.race([new Promise((go) => setTimeout(go, 100)), failed])
  }
  return {
    port,
    async kill(signal = 'SIGKILL') {
      const isEnd = signal !== 'SIGSTOP' && signal !== 'SIGCONT'
      isStopping ||= isEnd
      running.child.kill(signal)
      if (isEnd) await over
    },
  }
}

/** Removes `EVENTSTORE_…`: a server reads such variables as its settings and exits on unknown ones, as the tests' are. */
const withoutSettings = (): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => /^(EVENTSTORE|KURRENTDB)_/i.test(name))
      .map((name) => [name, undefined]),
  )

const isLive = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/live`).then(
    ({ status }) => status === 204,
    () => false,
  )
