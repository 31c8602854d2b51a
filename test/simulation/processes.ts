/**
 * Ranges of seeds in processes of their own, side by side. Each runs so few that a long run can tell how far it is.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { join as path } from 'node:path'
import pLimit from 'p-limit'
import { EMPTY, join, type Report } from './report.ts'

/** What Bun's last compiler costs is more than it saves: too much code runs too few times. */
const LIGHT = { BUN_JSC_useFTLJIT: '0' }

/** The most seeds of one process. */
export const CHUNK = 200

/**
 * Runs a range of seeds.
 *
 * @param jobs processes side by side
 * @param onDone told after each process how many seeds were run so far
 * @param command what runs TypeScript
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
 * What `main.ts` prints.
 *
 * @param cwd the folder of the project, or of a copy of it
 * @throws what it says when it fails
 */
export function output(
  [program = '', ...first]: readonly string[],
  args: readonly string[],
  cwd = path(import.meta.dirname, '..', '..'),
): Promise<string> {
  const child = spawn(program, [...first, path(cwd, 'test', 'simulation', 'main.ts'), ...args], {
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
