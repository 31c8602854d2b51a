/**
 * A real server process on a temporary folder.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checksumOf } from '../../src/keys/api-key.ts'
import { type Running, start } from './processes.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const BODY = `gln_${'Test'.repeat(10)}`
/** A generated key of the right form, for BOOTSTRAP_KEY. */
export const KEY = `${BODY}_${checksumOf(BODY)}`
export const OPERATOR_KEY = 'operator-of-tests-0123456789abcdef'

/** Settings for tests: no rate limits, any free port. */
export const SETTINGS = {
  PORT: '0',
  BOOTSTRAP_KEY: KEY,
  BOOTSTRAP_CREDITS: '1000000',
  OPERATOR_KEY,
  PLUGINS_DIR: join(ROOT, 'rigs', 'machines', 'crash', 'plugins'),
  RATE_KICKOFF: '0',
  RATE_READ: '0',
  RATE_ADMIN: '0',
  ACCOUNT_CONCURRENCY: '0',
  SHUTDOWN_GRACE_S: '5',
  LOG_LEVEL: 'warn',
} as const

/** A folder that `remove` deletes. */
export function folder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'gleaner-server-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts the server directly, or through another command line. */
export function startServer(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, 'src/main.ts', 'serve'],
): Running {
  return start(program, args, { cwd: ROOT, env: { ...SETTINGS, DATA_DIR: dataDir, ...env } })
}

/** The address of a server, once it listens. */
export async function addressOf(server: Running): Promise<string> {
  const [address] = await server.says(/http:\/\/127\.0\.0\.1:[1-9]\d*/)
  return address
}

export type Reply<T> = { readonly status: number; readonly body: T; readonly headers: Headers }

/** A client with one key. A body makes it a POST. */
export function client(address: string, key: string) {
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of an answer
  return async <T = any>(
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply<T>> => {
    const response = await fetch(`${address}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text) as T, headers: response.headers }
  }
}
