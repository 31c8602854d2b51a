/** The calls on the page of a task work as pasted, against a real service: they send the input as it is, whatever it holds. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { type Calls, callsOf } from '../../src/console/account/task/calls.ts'
import { endAll } from '../servers/processes.ts'
import { addressOf, client, folder, KEY, startServer } from '../servers/server.ts'
import { hasPython } from '../support/python.ts'
import { Programs } from './programs.ts'
import { startWiki } from './wiki.ts'

const INPUTS = [
  { query: 'otter', limit: 1 },
  { query: `it's "quoted" \\ $HOME \`id\` $(id) %s \${x} 🦦\n\ttabbed`, limit: 2 },
]
const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const task = tasks.find(({ key }) => key === 'encyclopedia.search')!

let wiki: Awaited<ReturnType<typeof startWiki>>
let data: ReturnType<typeof folder>
let programs: Programs
let address: string
let call: ReturnType<typeof client>
beforeAll(async () => {
  wiki = await startWiki()
  data = folder()
  programs = new Programs(join(data.path, 'programs'))
  const server = startServer(join(data.path, 'data'), { SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin })
  address = await addressOf(server)
  call = client(address, KEY)
}, 60_000)
afterAll(async () => {
  await endAll()
  await wiki.stop()
  data.remove()
})

/** The input of the latest run, as its result repeats it. */
async function latestQuery(): Promise<string> {
  const { runs } = (await call('/v1/runs?limit=1')).body
  return (await call(`/v1/runs/${runs[0].run_id}?wait=30`)).body.result.query
}

const env = { GLEANER_API_KEY: KEY }
const PASTE: { readonly [language in keyof Calls]: (code: string) => Promise<string> } = {
  curl: async (code) => {
    const all = { env: { ...process.env, ...env } }
    return (await promisify(execFile)('sh', ['-c', `${code.replace('curl', 'curl -sS')}`], all)).stdout
  },
  typescript: async (code) => (await programs.typescript(code, env)).join('\n'),
  python: async (code) => (await programs.python(code, env)).join('\n'),
}

for (const language of ['curl', 'typescript', 'python'] as const)
  test.skipIf(language === 'python' && !hasPython)(
    `in ${language}`,
    async () => {
      for (const input of INPUTS) {
        const printed = await PASTE[language](callsOf(address, task, input)[language])
        expect(printed).toContain(language === 'curl' ? '"run_id":"run_' : 'pageid')
        expect(await latestQuery()).toBe(input.query)
      }
    },
    60_000,
  )

test('the TypeScript compiles for every task', () => {
  for (const each of tasks)
    programs.save(
      `${callsOf('http://127.0.0.1:3000', each, each.declaration.example).typescript}\nexport {}\n`,
    )
  expect(programs.compiled()).toBe('')
}, 60_000)
