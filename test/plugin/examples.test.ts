/**
 * The examples in the doc comments of the plugin kit are programs: they compile against the kit as imported by an
 * author, and each `// =>` holds.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Documented, documented, exportsOf, programOf } from './examples.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = ['plugin', 'plugin/testing']
const exported = modules.flatMap((name) =>
  exportsOf(join(root, `src/${name}.ts`)).map((of) => ({ ...of, module: name })),
)
const docs = new Map<string, Documented>()
for (const { file, name } of exported)
  for (const doc of documented(file)) if (doc.name === name) docs.set(name, doc)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleaner-examples-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/gleaner'), 'junction')
  const names = modules.map((module) => ({
    module,
    values: exported.filter((of) => of.module === module).map(({ name }) => name),
  }))
  for (const doc of docs.values()) writeFileSync(join(folder, `${doc.name}.ts`), programOf(doc, names))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('every export of the kit has an example', () => {
  test.each(exported.map(({ name }) => name))('%s', (name) => {
    expect(docs.get(name)?.text.length ?? 0).toBeGreaterThan(10)
    expect(docs.get(name)?.example).toContain('// =>')
  })
})

describe('the example holds', () => {
  test.each([...docs.keys()])('%s', async (name) => {
    const { checks } = await import(pathToFileURL(join(folder, `${name}.ts`)).href)
    const expected = docs.get(name)!.example.split('// =>').length - 1
    expect(checks).toBe(expected)
  })
})

test('all examples compile with the compiler options of the service', () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const types = [join(root, 'node_modules/bun-types')]
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, types }, include: ['*.ts'] }),
  )
  const tsc = join(root, 'node_modules/typescript-compiler/bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', folder], {
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
  expect(status).toBe(0)
})
