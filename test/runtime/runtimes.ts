/**
 * The two runtimes that the program must be the same on, as they are installed here.
 *
 * @module
 */
import { createRequire } from 'node:module'
import { type Running, start } from '../start/processes.ts'
import { ROOT, startServer } from '../start/server.ts'

export type Runtime = {
  readonly name: 'Bun' | 'Deno'
  /** what stands before the path of a script */
  readonly command: readonly [string, ...string[]]
}

/** Where npm has put Deno. Its own start script in `.bin` is Node, which hands no signal on. */
const deno = (createRequire(import.meta.url)('deno/install_api.cjs') as { runInstall(): string }).runInstall()

export const BUN: Runtime = { name: 'Bun', command: [process.execPath] }
export const DENO: Runtime = { name: 'Deno', command: [deno, 'run', '-A'] }
export const RUNTIMES = [BUN, DENO] as const

/** A server on a runtime; see {@link startServer}. */
export const serveOn = (
  { command }: Runtime,
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Running => startServer(dataDir, env, [...command, 'src/main.ts', 'serve'])

/** A command of `gleaner` on a runtime, with nothing but these settings. */
export const gleanerOn = (
  { command: [program, ...args] }: Runtime,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Running => start(program, [...args, 'src/main.ts', ...words], { cwd: ROOT, env })
