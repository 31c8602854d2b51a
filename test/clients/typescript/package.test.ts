/** The package: its contents, and that users' programs compile and can be bundled. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { blocksOf } from '../../../rigs/docs/blocks.ts'
import { DENO } from '../../../rigs/machines/runtime/runtimes.ts'
import { folder, KEY, ROOT } from '../../../rigs/servers/server.ts'
import { makeProject } from './package.ts'

let data: ReturnType<typeof folder>
let project: ReturnType<typeof makeProject>
beforeAll(() => {
  data = folder()
  project = makeProject(data.path)
})
afterAll(() => data.remove())

/** A user's program, with a task of the user's own plugin. */
const PROGRAM = `
import { Gleaner, GleanerError, verifyWebhook, type Item } from 'gleaner-client'

declare module 'gleaner-client' {
  interface Tasks {
    'shop.search': { input: { lumen: number }; result: { items: { name: string }[]; next_cursor: null } }
  }
}

const gleaner = new Gleaner({ url: 'http://127.0.0.1:3000', apiKey: undefined })
const { result } = await gleaner.run('encyclopedia.search', { query: 'otter' })
const title: string = result.items[0]!.title
for await (const { name } of gleaner.items('shop.search', { lumen: 3 })) name.toUpperCase()
// @ts-expect-error
await gleaner.run('shop.search', { lumen: '3' })
// @ts-expect-error
const wrong: Item<'encyclopedia.search'> = { titel: title }
export { GleanerError, verifyWebhook, wrong }
`

const NEW = join(ROOT, 'node_modules', 'typescript-compiler')
/** `npm run check` installs the older compiler, which generates the types. */
const COMPILERS = [
  ['TypeScript 7, as bundlers resolve', NEW, { module: 'esnext', moduleResolution: 'bundler' }],
  [
    'TypeScript 5, as Node does',
    join(ROOT, 'clients/typescript/node_modules/typescript'),
    { module: 'nodenext' },
  ],
] as const
const installed = COMPILERS.filter(([, folder]) => existsSync(folder))

test.each(installed)(
  'a program and the examples of the README compile with %s, without "skipLibCheck"',
  (_, compiler, resolution) => {
    const folder = join(project.path, 'programs')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'program.mts'), PROGRAM)
    const blocks = blocksOf('clients/typescript/README.md', 'ts')
    expect(blocks).toHaveLength(4)
    const outside = ['process: { env: Record<string, string | undefined> }', 'request: Request']
    writeFileSync(join(folder, 'outside.d.ts'), outside.map((name) => `declare const ${name}\n`).join(''))
    for (const [i, block] of blocks.entries()) {
      // All blocks but the first use the first one's client.
      const client = block.includes('const gleaner =')
        ? ''
        : "declare const gleaner: import('gleaner-client').Gleaner\n"
      writeFileSync(join(folder, `${i}.mts`), `${block}\n${client}export {}\n`)
    }
    const options = { ...resolution, strict: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    const tsc = join(compiler, 'bin', 'tsc')
    const { stdout, status } = spawnSync('node', [tsc, '--project', folder], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  },
)

test('the sources of the client compile on Deno unchanged', () => {
  const [program, ...args] = [
    DENO.command[0],
    'check',
    join(ROOT, 'clients', 'typescript', 'src', 'index.ts'),
  ]
  const { stderr, status } = spawnSync(program, args, { cwd: project.path, encoding: 'utf8' })
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
})

test('the package can be imported after npm install', async () => {
  const { Gleaner, verifyWebhook, ...errors } = await import(join(project.client, 'dist', 'index.js'))
  expect(new Gleaner({ url: 'http://127.0.0.1:3000', apiKey: KEY }).runs).toBeDefined()
  expect(verifyWebhook).toBeFunction()
  expect(errors).toContainKeys(['GleanerError', 'LoginRequired', 'RunFailed'])
})

test('the package has no dependencies, and is small both to install and in a browser bundle', async () => {
  const manifest = JSON.parse(readFileSync(join(project.client, 'package.json'), 'utf8'))
  expect([manifest.dependencies, manifest.peerDependencies]).toEqual([undefined, undefined])
  expect(statSync(project.tarball).size).toBeLessThan(64_000)
  const entry = join(project.path, 'bundle.js')
  writeFileSync(entry, "export { Gleaner } from 'gleaner-client'")
  const { outputs, success } = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true })
  expect(success).toBe(true)
  const code = await outputs[0]!.text()
  expect(gzipSync(code).length).toBeLessThan(6100)
  // The verification of webhooks is tree-shaken, and no server module is bundled.
  expect(code).not.toContain('webhook-signature')
  expect(code).not.toContain('node:')
})
