/**
 * The programs of a document: each block for a shell is followed by the same in other languages.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../servers/processes.ts'
import { ROOT } from '../servers/server.ts'
import { PYTHON } from '../support/python.ts'

/** The languages of the programs, in the order of their blocks. */
export const LANGUAGES = ['ts', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

/** The programs after each block for a shell, by language. The first one creates the client that the others use. */
export function programsIn(document: string): { readonly [language: string]: string }[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const groups = text.matchAll(/^```sh\n[\s\S]*?^```$((?:\n\n^```(?:ts|python)\n[\s\S]*?^```$)*)/gm)
  return [...groups].map(([, others = '']) =>
    Object.fromEntries(
      [...others.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, name, code]) => [name, code]),
    ),
  )
}

/** A folder of programs that can import the clients, as after `npm install` and `pip install`. */
export class Programs {
  private count = 0

  constructor(private readonly folder: string) {
    const modules = join(folder, 'node_modules')
    mkdirSync(modules, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    symlinkSync(join(ROOT, 'clients', 'typescript'), join(modules, 'gleaner-client'))
  }

  /** Runs a program in TypeScript. @returns its printed lines @throws when it fails */
  async typescript(code: string, env: Readonly<Record<string, string>>): Promise<string[]> {
    const program = start(process.execPath, [this.save(code)], {
      cwd: this.folder,
      env: { ...env, NO_COLOR: '1' },
    })
    const { code: status } = await program.ended
    if (status !== 0) throw new Error(`code ${status} of:\n${code}\n${program.printed.err}`)
    return program.printed.out.trimEnd().split('\n')
  }

  /** The same for a program in Python. */
  async python(code: string, env: Readonly<Record<string, string>>): Promise<string[]> {
    const path = { PYTHONPATH: join(ROOT, 'clients', 'python'), PYTHONIOENCODING: 'utf-8' }
    const args = ['-B', '-W', 'error', '-c', code]
    const program = start(PYTHON, args, { cwd: this.folder, env: { ...env, ...path } })
    const { code: status } = await program.ended
    if (status !== 0) throw new Error(`code ${status} of:\n${code}\n${program.printed.err}`)
    return program.printed.out.trimEnd().split('\n')
  }

  /** Writes a program in TypeScript, without running it. @param packages of this project that it uses */
  save(code: string, packages: readonly string[] = []): string {
    for (const name of packages)
      symlinkSync(join(ROOT, 'node_modules', name), join(this.folder, 'node_modules', name))
    const file = `program-${this.count++}.ts`
    writeFileSync(join(this.folder, file), code)
    return file
  }

  /** Type-checks all TypeScript programs so far. @returns the output of the compiler */
  compiled(): string {
    writeFileSync(
      join(this.folder, 'process.d.ts'),
      'declare const process: { env: Record<string, string | undefined> }',
    )
    const options = {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022', 'dom'],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    }
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    const tsc = join(ROOT, 'node_modules', 'typescript-compiler', 'bin', 'tsc')
    return spawnSync('node', [tsc, '--project', this.folder], { encoding: 'utf8' }).stdout
  }
}
