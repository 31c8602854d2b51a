/**
 * `npm run screenshots`: takes screenshots of every console page of the demo, in both widths and themes.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'rebrowser-playwright'
import { findChromium } from '../../src/browser/chromium/find.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = join(ROOT, 'src/main.ts')
const SIZES = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const
const THEMES = ['light', 'dark'] as const
/** The tasks of the runs that the pages show. */
const RUNS = ['encyclopedia.search', 'forum.posts', 'marketplace.search']
/** The tasks whose health they show. */
const TRIED = ['encyclopedia.*', 'forum.*', 'marketplace.*', 'realty_a.*', 'realty_b.*', 'video.*']

/**
 * Starts the demo in a child process.
 *
 * @param folder of its temporary files
 * @returns the process, its address and the user of the console
 */
async function startDemo(folder: string) {
  const child = spawn(process.execPath, [MAIN, 'demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: '0', TMPDIR: folder },
  })
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    const [, url] = /The console is at (\S+)\/console/.exec(printed) ?? []
    const [, email] = /E-mail: +(\S+)/.exec(printed) ?? []
    const [, password] = /Password: +(\S+)/.exec(printed) ?? []
    if (url && email && password) return { child, url, email, password }
  }
  throw new Error('the demo exited before it was ready')
}

/** Lets the canary try the tasks whose health the pages show. Its exit code tells how the mock sites differ from real ones. */
async function tryTasks(folder: string): Promise<void> {
  const [data = ''] = readdirSync(folder).filter((name) => name.startsWith('gleaner-demo-'))
  const env = { ...process.env, DATA_DIR: join(folder, data) }
  const child = spawn(process.execPath, [MAIN, 'canary', ...TRIED], { stdio: 'ignore', env })
  await once(child, 'exit')
}

async function signIn(page: Page, url: string, email: string, password: string): Promise<string> {
  await page.goto(`${url}/console/sign-in`)
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('button:has-text("Sign in")')
  await page.waitForSelector('nav')
  return page.url()
}

/** Creates a webhook to this process, which rejects only the second delivery. @returns the address of its page */
async function createWebhook(page: Page, own: string): Promise<string> {
  let count = 0
  const receiver = createServer((request, response) => {
    request.resume()
    response.writeHead(++count === 2 ? 500 : 200).end(count === 2 ? 'The warehouse is closed.' : 'ok')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  receiver.unref()
  await page.goto(`${own}/webhooks`)
  await page.click('summary:has-text("Create a webhook")')
  await page.fill('#url', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`)
  await page.fill('#description', 'The warehouse')
  await page.click('button:has-text("Create webhook")')
  await page.click('button:has-text("Send test")')
  await page.waitForSelector('text=The test was delivered')
  return page.url()
}

async function takeAll(browser: Browser, folder: string): Promise<number> {
  const temporary = mkdtempSync(join(tmpdir(), 'gleaner-screenshots-'))
  const { child, url, email, password } = await startDemo(temporary)
  try {
    await tryTasks(temporary)
    const first = await (await browser.newContext()).newPage()
    const own = await signIn(first, url, email, password)
    const webhook = await createWebhook(first, own)
    for (const task of RUNS) {
      await first.goto(`${own}/tasks/${task}`)
      await first.click('button:has-text("Run for")')
      await first.waitForSelector('#state .badge:is(.good, .bad)')
    }
    const paths = {
      home: own,
      tasks: `${own}/tasks`,
      task: `${own}/tasks/forum.posts`,
      runs: `${own}/runs`,
      run: first.url(),
      item: `${first.url()}/items/1`,
      keys: `${own}/keys`,
      credits: `${own}/credits`,
      logins: `${own}/logins`,
      webhooks: `${own}/webhooks`,
      webhook,
      members: `${own}/members`,
      settings: `${own}/settings`,
      me: `${url}/console/me`,
      status: `${url}/status`,
      accounts: `${url}/console/operator`,
      people: `${url}/console/operator/people`,
      sources: `${url}/console/operator/sources`,
      source: `${url}/console/operator/sources/forum`,
      exits: `${url}/console/operator/exits`,
      system: `${url}/console/operator/system`,
      account: own.replace('/console/', '/console/operator/accounts/'),
    }
    const storageState = await first.context().storageState()
    let taken = 0
    for (const [size, viewport] of Object.entries(SIZES))
      for (const colorScheme of THEMES) {
        const context = await browser.newContext({ viewport, colorScheme, storageState })
        const page = await context.newPage()
        for (const [name, path] of Object.entries(paths)) {
          await page.goto(path)
          await page.screenshot({
            path: join(folder, `${name}-${size}-${colorScheme}.png`),
            fullPage: size === 'phone',
          })
          taken++
        }
        await context.close()
      }
    return taken
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(temporary, { recursive: true, force: true })
  }
}

const folder = join(ROOT, 'screenshots')
mkdirSync(folder, { recursive: true })
const executablePath = findChromium(process.env.CHROMIUM_PATH ?? null)
if (executablePath === undefined)
  throw new Error('Chromium was not found: run npm test once, or set CHROMIUM_PATH')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  console.log(`${await takeAll(browser, folder)} screenshots saved in screenshots/`)
} finally {
  await browser.close()
}
