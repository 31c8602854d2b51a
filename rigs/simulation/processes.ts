/**
 * Runs ranges of seeds in concurrent processes. Each process runs few seeds, so that a long run can report progress.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { join as path } from 'node:path'
import pLimit from 'p-limit'
import { EMPTY, join, type Report } from './report.ts'

/** Bun's last compiler tier costs more than it saves here: too much code runs too few times. */
const LIGHT = { BUN_JSC_useFTLJIT: '0' }

/** The maximum number of seeds per process. */
export const CHUNK = 200

/**
 * Runs a range of seeds.
 *
 * @param jobs number of concurrent processes
 * @param onDone called after each process with the number of seeds run so far
 * @param command the command that runs TypeScript
 */
export async function ranges(
  from: number,
  count: number,
  jobs: number,
  onDone: (seeds: number) => void = () => {},
  command: readonly string[] = [process.execPath],
): Promise<Report> {
  const atOnce = pLimit(jobs)
  const size = Math.min(CHUNK, Math.ceil(count / jobs))
  let seeds = 0
  const reports = await Promise.all(
    Array.from({ length: Math.ceil(count / size) }, (_, i) =>
      atOnce(async () => {
        const report = await range(command, from + i * size, Math.min(size, count - i * size))
        seeds += report.seeds
        onDone(seeds)
        return report
      }),
    ),
  )
  return reports.reduce(join, EMPTY)
}

const range = async (command: readonly string[], from: number, count: number): Promise<Report> =>
  JSON.parse(await output(command, ['--json', '--from', String(from), '--seeds', String(count)]))

/**
 * The output of `main.ts`.
 *
 * @param cwd the folder of the project, or of a copy of it
 * @throws an error with its output when it fails
 */
export function output(
  [program = '', ...first]: readonly string[],
  args: readonly string[],
  cwd = path(import.meta.dirname, '..', '..'),
): Promise<string> {
  const child = spawn(program, [...first, path(cwd, 'rigs', 'simulation', 'main.ts'), ...args], {
    cwd,
    env: { ...process.env, ...LIGHT },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (part) => parts.push(part))
  child.stderr.on('data', (part) => errors.push(part))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(parts).toString())
      const said = Buffer.concat(errors).toString().slice(-2000)
      reject(new Error(`a process of the simulation ended with ${code ?? signal}: ${said}`))
    })
  })
}
