/**
 * The encyclopedia source against a real MediaWiki. Skipped if its starter is missing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { search } from '../../plugins/encyclopedia/search.ts'
import source from '../../plugins/encyclopedia/source.ts'
import { runTask } from '../../src/plugin/testing.ts'

const starter = fileURLToPath(new URL('../../../shared/tools/mediawiki', import.meta.url))
/** Each article is created by a separate process of the wiki. */
const ARTICLES = 13
const START_MS = 300_000

describe.skipIf(!existsSync(starter))('a real MediaWiki', () => {
  let port = 0
  let origin = ''
  beforeAll(async () => {
    port = await freePort()
    origin = await starts(['up', String(port), String(ARTICLES)])
  }, START_MS)
  afterAll(async () => {
    await starts(['down', String(port)])
    rmSync(join(tmpdir(), `mediawiki-${port}`), { recursive: true, force: true })
  })

  const run = (input: { query: string; limit?: number; cursor?: string }) =>
    runTask(search, input, { source, fetch, origin })

  test('13 hits in pages of five: each comes once, and the last cursor is null', async () => {
    const titles: string[] = []
    const cursors: (string | null)[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { items, rest, error } = await run({
        query: 'extraction',
        limit: 5,
        ...(cursor ? { cursor } : {}),
      })
      expect(error).toBeNull()
      expect(rest.total_hits).toBe(ARTICLES)
      titles.push(...items.map(({ title }) => title))
      cursor = rest.next_cursor
      cursors.push(cursor)
    }
    expect(cursors).toEqual(['5', '10', null])
    expect(titles.length).toBe(ARTICLES)
    const expected = Array.from({ length: ARTICLES }, (_, i) => `Extraction article ${i + 1}`)
    expect(titles.sort()).toEqual(expected.sort())
  })

  test('a single run with a large limit returns all hits', async () => {
    const { items, rest } = await run({ query: 'extraction', limit: 500 })
    expect(new Set(items.map(({ pageid }) => pageid)).size).toBe(ARTICLES)
    expect(rest.next_cursor).toBeNull()
  })

  test('an item has the content of the wiki, and its address opens', async () => {
    const { items } = await run({ query: 'Gewinnung' })
    expect(items.length).toBe(1)
    const [item] = items
    expect(item).toMatchObject({ title: 'Flüsse und Daten', ns: 0 })
    expect(item?.snippet).toContain('Die Gewinnung von Daten über Flüsse: äöü ß, 中文, emoji 🎈.')
    expect(item?.url).toStartWith(`${origin}/`)
    const page = await fetch(item!.url)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Die Gewinnung von Daten')
  })

  test('markup and entities of the wiki become plain text', async () => {
    const { items } = await run({ query: 'rivers', limit: 1 })
    expect(items[0]?.snippet).toContain('data & records')
    expect(items[0]?.snippet).toContain('"quotes", <b>marks</b>')
    expect(items[0]?.snippet_html).toContain("<span class='searchmatch'>rivers</span>")
  })

  test('a search without hits succeeds, also with a cursor far beyond the end', async () => {
    expect((await run({ query: 'zzqqxx' })).rest).toMatchObject({ next_cursor: null, total_hits: 0 })
    const { items, rest, error } = await run({ query: 'data', cursor: '10000' })
    expect([items.length, rest.next_cursor, error]).toEqual([0, null, null])
  })

  test('a query of 1,000 characters is answered', async () => {
    const { items, error } = await run({ query: `rivers ${'ä'.repeat(993)}` })
    expect([items.length, error]).toEqual([0, null])
  })
})

/** Runs the starter. @returns the last line that it printed */
function starts(parameters: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(starter, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    child.on('error', reject)
    // Its server keeps running and holds the output open, so wait for the exit instead of the end of the output.
    child.on('exit', (code) => {
      if (code === 0) resolve(printed.trim().split('\n').at(-1) ?? '')
      else reject(new Error(`${starter} ${parameters.join(' ')} ended with ${code}`))
    })
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
