/**
 * Real processes for tests: started, awaited by their output, and never left behind.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type Running = {
  readonly child: ChildProcess
  readonly pid: number
  /** its output so far, stdout and stderr separately */
  readonly printed: { out: string; err: string }
  readonly ended: Promise<Ended>
  /** Resolves with the match as soon as stdout or stderr matches; rejects if the process ends first. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

const started = new Set<Running>()

/**
 * Starts a program in its own process group, as a shell does with a job.
 *
 * @param options.env added to the environment of the tests; undefined removes a variable
 */
export function start(
  program: string,
  args: readonly string[],
  options: { readonly env?: Record<string, string | undefined>; readonly cwd?: string } = {},
): Running {
  const { cwd, env = {} } = options
  const child = spawn(program, [...args], {
    env: Object.fromEntries(
      Object.entries({ ...process.env, ...env }).filter(([, value]) => value !== undefined),
    ),
    ...(cwd === undefined ? {} : { cwd }),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { out: '', err: '' }
  const watchers = new Set<() => void>()
  const hear = (stream: 'out' | 'err') => (chunk: Buffer) => {
    printed[stream] += chunk.toString()
    for (const look of [...watchers]) look()
  }
  child.stdout?.on('data', hear('out'))
  child.stderr?.on('data', hear('err'))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  ended.catch(() => {})
  const says = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(printed.out) ?? pattern.exec(printed.err)
        if (!match) return
        watchers.delete(look)
        resolve(match)
      }
      watchers.add(look)
      look()
      ended.then(({ code, signal }) => {
        look()
        reject(
          new Error(`it ended (${code ?? signal}) and never said ${pattern}:\n${printed.out}${printed.err}`),
        )
      }, reject)
    })
  const running: Running = { child, pid: child.pid ?? -1, printed, ended, says }
  started.add(running)
  return running
}

/** Sends a signal to all processes of a group. */
export const signalGroup = (leader: number, signal: NodeJS.Signals): boolean => process.kill(-leader, signal)

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The child processes of a process, by `ps`, which both Linux and macOS have. */
export function childrenOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number))
  return pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child)
}

/** Polls a condition until it holds: every 10 ms at first, then less often, because a check may load a server. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await condition())) {
    const waited = performance.now() - began
    await new Promise((go) => setTimeout(go, Math.min(10 + waited / 10, 100)))
  }
}

/** Kills the processes that still run. Each test file calls it after each of its tests. */
export async function endAll(): Promise<void> {
  for (const running of started) {
    started.delete(running)
    try {
      signalGroup(running.pid, 'SIGKILL')
    } catch {
      // The group has ended by itself.
    }
    await running.ended.catch(() => {})
  }
}
