/**
 * Child processes of tests: scripts that report their progress on stdout line by line.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type Child = {
  readonly process: ChildProcess
  /** The lines of its stdout as they arrive; ends with its stdout. */
  readonly lines: AsyncIterableIterator<string>
  /** Resolves to the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string | null>
}

/** Arguments before the path of a script: the contract suites run on Deno too. */
const RUN = 'deno' in process.versions ? ['run', '-A'] : []

/** Starts a TypeScript file with the runtime of the tests; its stderr is inherited. */
export function startChild(script: URL, args: readonly string[]): Child {
  const words = [...RUN, script.pathname, ...args]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  return { process: child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator](), ended }
}

/** All lines until the child's stdout ends. */
export async function allLines(child: Child): Promise<string[]> {
  const lines: string[] = []
  for await (const line of child.lines) lines.push(line)
  return lines
}
