/**
 * The two runtimes on which the program must behave alike, as they are installed here.
 *
 * @module
 */
import { createRequire } from 'node:module'
import { type Running, start } from '../../servers/processes.ts'
import { ROOT, startServer } from '../../servers/server.ts'

export type Runtime = {
  readonly name: 'Bun' | 'Deno'
  /** the words before the path of a script */
  readonly command: readonly [string, ...string[]]
}

/** The path of Deno's executable. npm's start script in `.bin` runs on Node and does not forward signals. */
const deno = (createRequire(import.meta.url)('deno/install_api.cjs') as { runInstall(): string }).runInstall()

export const BUN: Runtime = { name: 'Bun', command: [process.execPath] }
export const DENO: Runtime = { name: 'Deno', command: [deno, 'run', '-A'] }
export const RUNTIMES = [BUN, DENO] as const

/** Starts a server on a runtime; see {@link startServer}. */
export const serveOn = (
  { command }: Runtime,
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Running => startServer(dataDir, env, [...command, 'src/main.ts', 'serve'])

/** Starts a `gleaner` command on a runtime, with these settings. */
export const gleanerOn = (
  { command: [program, ...args] }: Runtime,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Running => start(program, [...args, 'src/main.ts', ...words], { cwd: ROOT, env })
