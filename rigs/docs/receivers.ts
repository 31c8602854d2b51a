/**
 * The programs of docs/webhooks.md that receive deliveries, started as the document says.
 *
 * @module
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { type Running, start } from '../servers/processes.ts'
import { ROOT } from '../servers/server.ts'
import { PYTHON } from '../support/python.ts'
import { blocksOf, type Language } from './blocks.ts'

/** A program that listens, and prints a line for each event that it accepts. */
export type Program = {
  readonly url: string
  /** The lines printed so far. */
  printed(): string[]
  stop(): void
}

type Started = Omit<Program, 'url'>
type Start = (file: string, port: number, env: Readonly<Record<string, string>>) => Promise<Started>
export type Kind = { readonly name: string; readonly language: Language; readonly start: Start }

/** @param deno the path of Deno */
export const kindsOf = (deno: string): readonly Kind[] => [
  { name: 'TypeScript on Bun', language: 'ts', start: byItself(process.execPath) },
  {
    name: 'TypeScript on Deno',
    language: 'ts',
    start: (file, port, env) =>
      byItself(deno, 'serve', '--port', String(port), '--allow-env')(file, port, env),
  },
  { name: 'Python', language: 'python', start: byItself(PYTHON, '-W', 'error') },
]

const ENDINGS: Readonly<Record<string, string>> = { ts: 'ts', python: 'py' }

/** Creates a folder for the programs of all languages, as after `npm install standardwebhooks`. */
export function placeOf(folder: string): string {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  symlinkSync(join(ROOT, 'node_modules', 'standardwebhooks'), join(modules, 'standardwebhooks'))
  const manifest = { type: 'module', dependencies: { standardwebhooks: '*' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  return folder
}

/**
 * Starts a program, and waits until it listens.
 *
 * @param port a free port
 * @param code of the program; by default that of the document
 */
export async function startProgram(
  { language, start }: Kind,
  {
    place,
    port,
    secret,
    code = blocksOf('docs/webhooks.md', language)[0] ?? '',
  }: { readonly place: string; readonly port: number; readonly secret: string; readonly code?: string },
): Promise<Program> {
  const file = join(place, `receiver-${port}.${ENDINGS[language]}`)
  writeFileSync(file, code.replaceAll('4000', String(port)))
  const started = await start(file, port, { WEBHOOK_SECRET: secret, NO_COLOR: '1' })
  return { ...started, url: `http://127.0.0.1:${port}/hooks` }
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

const linesOf = (text: string): string[] => text.split('\n').filter(Boolean)

/** A program that is a server. */
function byItself(command: string, ...args: string[]): Start {
  return async (file, port, env) => {
    const program = start(command, [...args, file], { cwd: join(file, '..'), env })
    await listening(program, port)
    return {
      // Bun and Deno print their address first.
      printed: () => linesOf(program.printed.out).filter((line) => line.includes(' gleaner.')),
      stop: () => void program.child.kill(),
    }
  }
}

async function listening(program: Running, port: number): Promise<void> {
  let ended = false
  const note = () => {
    ended = true
  }
  program.ended.then(note, note)
  while (!(await isTaken(port))) {
    if (ended) throw new Error(`it does not listen:\n${program.printed.out}${program.printed.err}`)
    await new Promise((go) => setTimeout(go, 10))
  }
}

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const tell = (taken: boolean) => {
      socket.destroy()
      resolve(taken)
    }
    socket.on('connect', () => tell(true)).on('error', () => tell(false))
  })
