/** The documentation page: complete, safe, and without external resources. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { parseHTML } from 'linkedom'
import { EVENT_NAMES } from '../../src/domain/events.ts'
import { endpointsOf } from '../../src/http/api.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { openApi, problemCodes } from '../../src/http/openapi/document.ts'
import { docsPage } from '../../src/http/openapi/page/page.ts'
import { PROBLEMS } from '../../src/http/problems.ts'
import { type Service, startService } from './service.ts'

let service: Service
let page: Document
let text: string
let headers: Headers
beforeAll(async () => {
  service = await startService({ endpoints: endpointsOf })
  const answer = await service.send('/docs')
  headers = answer.headers
  text = await answer.text()
  page = parseHTML(text).document
})
afterAll(() => service.close())

test('the documentation page is HTML and needs no key', () => {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.querySelector('title')?.textContent).toBe('Gleaner API')
})

test('the documentation page has every endpoint with a curl command, every problem and every event type', () => {
  for (const { id, path } of service.endpoints) {
    const section = page.getElementById(id)
    expect(section?.querySelector('.route code')?.textContent).toBe(path.replaceAll(/:(\w+)/g, '{$1}'))
    expect(section?.querySelector('.code')?.textContent).toContain('curl -s')
  }
  for (const code of Object.keys(PROBLEMS)) expect(page.getElementById(`problem-${code}`)).not.toBeNull()
  for (const name of EVENT_NAMES) expect(page.getElementById(`event-${name}`)).not.toBeNull()
})

test('links to the documents and the console, and the type of a problem, are below the path of PUBLIC_URL', async () => {
  const publicUrl = 'https://example.org/tools/gleaner'
  const below = await startService({
    endpoints: endpointsOf,
    deps: ({ config }) => ({ config: { ...config, publicUrl } }),
  })
  try {
    const { document } = parseHTML(await (await below.send('/docs')).text())
    const links = [...document.querySelectorAll('a[href$=".json"]')].map((link) =>
      new URL(link.getAttribute('href')!, `${publicUrl}/docs`).toString(),
    )
    expect(links).toEqual([`${publicUrl}/openapi.json`, `${publicUrl}/asyncapi.json`])
    expect(document.querySelector('nav a[href="/tools/gleaner/console"]')?.textContent).toBe('Console')
    const problem = (await (await below.send('/v1/runs')).json()) as { type: string }
    expect(problem.type).toBe(`${publicUrl}/docs#problem-missing-key`)
    expect(await (await below.send('/openapi.json')).text()).not.toContain('"/docs#')
  } finally {
    await below.close()
  }
})

test('the documentation page shows tasks first, and its first run is a task', () => {
  const groups = [...page.querySelectorAll('h2.group')].map((group) => group.textContent)
  expect(groups.slice(0, 3)).toEqual(['Sample', 'Tasks', 'Runs'])
  const others = service.endpoints.filter(({ taskKey }) => taskKey === undefined)
  const options = { version: '0', publicUrl: 'http://localhost' }
  const bodyOf = (endpoints: readonly Endpoint[]) => docsPage(openApi(endpoints, options)).body
  expect(bodyOf(service.endpoints)).toContain('Start your first run')
  expect(bodyOf(others)).not.toContain('Start your first run')
})

test('the section of a call links to every problem that it can answer with', () => {
  const linksOf = (id: string) =>
    [...page.getElementById(id)!.querySelectorAll('details a')].map((link) => link.getAttribute('href'))
  for (const endpoint of service.endpoints) {
    const expected = problemCodes(endpoint).map((code) => `#problem-${code}`)
    expect(linksOf(endpoint.id)).toEqual(expect.arrayContaining(expected))
  }
})

test('the type of a problem links to its explanation on the documentation page', async () => {
  const { type } = (await (await service.send('/v1/account')).json()) as { type: string }
  const [path, id] = type.split('#')
  expect(path).toBe('http://127.0.0.1:3000/docs')
  expect(page.getElementById(id!)?.textContent).toContain('missing-key')
})

test('every link within the documentation page has a target, and ids are unique', () => {
  const ids = [...page.querySelectorAll('[id]')].map((element) => element.id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const link of page.querySelectorAll('a[href^="#"]')) {
    const target = link.getAttribute('href')!.slice(1)
    expect({ target, there: ids.includes(target) }).toEqual({ target, there: true })
  }
})

test('the documentation page loads nothing, and its policy allows only its own inline style and script', () => {
  for (const element of page.querySelectorAll('[src], link[href]')) {
    expect(element.getAttribute('src') ?? element.getAttribute('href')).toStartWith('data:')
  }
  expect(page.querySelectorAll('[style], [onclick]').length).toBe(0)
  const policy = headers.get('content-security-policy')!
  expect(policy).toStartWith("default-src 'none'")
  const inline = (tag: string) => new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text)![1]!
  for (const tag of ['style', 'script']) {
    const hash = createHash('sha256').update(inline(tag)).digest('base64')
    expect(policy).toContain(`${tag}-src 'sha256-${hash}'`)
  }
})

test('texts of plugins are escaped on the documentation page', () => {
  const evil = '<img src=x onerror="alert(1)">'
  const endpoint = {
    ...service.endpoints[0]!,
    summary: evil,
    description: `\`${evil}\` ${evil}`,
    tag: evil,
  }
  const { body } = docsPage(openApi([endpoint], { version: '0', publicUrl: `http://x/"${evil}` }))
  expect(body).not.toContain('<img')
  expect(parseHTML(body).document.querySelectorAll('img').length).toBe(0)
})
