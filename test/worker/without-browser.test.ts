import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import type { Logger } from '../../src/logger.ts'
import { needsBrowser, warnWithoutBrowser } from '../../src/worker/without-browser.ts'

const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })

/** The warnings at a start. @param env the environment in which a browser is searched */
async function saidAt(chromiumPath: string | null, env: Record<string, string>): Promise<unknown[][]> {
  const said: unknown[][] = []
  const logger = { warn: (...words: unknown[]) => said.push(words) } as unknown as Logger
  const before = { ...process.env }
  Object.assign(process.env, env)
  try {
    await warnWithoutBrowser(tasks, chromiumPath, logger, new AbortController().signal)
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
  return said
}

test('a worker without a browser warns once which tasks and sign-ins fail; with a browser it does not warn', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-no-browser-'))
  try {
    const env = { PATH: folder, PLAYWRIGHT_BROWSERS_PATH: folder }
    const [line, ...more] = await saidAt(null, env)
    expect(more).toEqual([])
    expect(line).toEqual([
      {
        tasks: ['microblog.search', 'microblog.timeline', 'shortvideo.comments', 'shortvideo.hashtag'],
        sign_ins: ['forum', 'microblog', 'photo', 'shortvideo'],
      },
      expect.stringMatching(
        /^Chromium is missing: runs of 4 tasks and sign-ins at 4 sources fail until you /,
      ),
    ])
    writeFileSync(join(folder, 'chromium'), '', { mode: 0o755 })
    expect(await saidAt(null, env)).toEqual([])
    expect(await saidAt(join(folder, 'chromium'), env)).toEqual([])
    const [wrong] = await saidAt(join(folder, 'chrome'), env)
    expect(wrong?.[1]).toStartWith(`CHROMIUM_PATH ${folder}/chrome is not a program: runs of 4 tasks`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('no browser is missing where no task needs one', () => {
  expect(needsBrowser(tasks.filter(({ source }) => source.name === 'encyclopedia'))).toEqual({
    tasks: [],
    signIns: [],
  })
})
