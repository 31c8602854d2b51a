/**
 * Reads the fenced blocks of the documents, and runs those for a shell.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../servers/server.ts'

/** The language of a block. */
export type Language = 'sh' | 'json' | 'ts' | 'python' | 'text'

/** The blocks of one language in a document, in order. */
export function blocksOf(document: string, language: Language): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, named]) => named === language)
    .map(([, , block = '']) => block)
}

export type Ran = {
  /** of each curl call, in order */
  readonly statuses: readonly number[]
  /** the output of each curl call that was not captured in a variable */
  readonly bodies: readonly string[]
}

/** Terminates the output of a curl call; no answer contains it. */
const END = '\u0001'

/**
 * Runs a block as a reader would paste it, and collects the status of every answer.
 *
 * @param env variables of earlier blocks, and those of the operator
 * @throws when a command fails
 */
export async function runBlock(block: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const curl = `curl() { command curl -w '${END}%{stderr}%{http_code}\\n' "$@"; }`
  const child = spawn('sh', ['-e', '-c', `${curl}\n${block}`], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text))
  const code = await new Promise((ended, failed) => child.on('error', failed).on('close', ended))
  if (code !== 0) throw new Error(`code ${code} of:\n${block}\n${printed.err}`)
  return {
    statuses: printed.err.trim().split('\n').filter(Boolean).map(Number),
    bodies: printed.out.split(END).slice(0, -1),
  }
}

/** A placeholder in a document for a value that only the reader knows, or that is new each time. */
const PLACEHOLDER = /…|\d{4}-\d\d-\d\dT[\d:.]+Z/

/**
 * Compares an answer with an example: exactly the same fields, and the same values except where the example has `…`
 * or a time.
 *
 * @returns the path of the first difference; undefined if there is none
 */
export function difference(example: unknown, answer: unknown, path = ''): string | undefined {
  if (typeof example === 'string' && PLACEHOLDER.test(example)) {
    const open = example
      .split(new RegExp(PLACEHOLDER, 'g'))
      .map((part) => RegExp.escape(part))
      .join('.*')
    return typeof answer === 'string' && new RegExp(`^${open}$`, 's').test(answer) ? undefined : path
  }
  if (typeof example !== 'object' || example === null) return Object.is(example, answer) ? undefined : path
  if (typeof answer !== 'object' || answer === null) return path
  const names = Object.keys(example)
  if (names.sort().join() !== Object.keys(answer).sort().join()) return path || '/'
  for (const name of names) {
    const mismatch = difference(Reflect.get(example, name), Reflect.get(answer, name), `${path}/${name}`)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}
