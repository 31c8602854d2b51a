import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type House, startHouse, startRun, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
let run: string

beforeAll(async () => {
  house = await startHouse({ env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' } })
  ann = await house.setUp()
  await ann.submit(`${house.own}/keys`, { name: 'nightly import', scopes: 'runs', idempotency_key: 'k' })
  run = await startRun(ann, house, 'otter')
  await house.service.finish(run, { items: [] })
})
afterAll(() => house.close())

/** The findings of a search: the addresses that it leads to. */
async function found(who: Visitor, search: string): Promise<string[]> {
  const text = await who.get(`${house.own}/search?${new URLSearchParams({ q: search })}`)
  const hits = text.slice(text.indexOf('id="hits"'), text.indexOf('</main>'))
  return [...hits.matchAll(/<li>(?:<a href|<form method="post" action)="([^"]+)"/g)].map(
    ([, href = '']) => href,
  )
}

describe('the search of an account', () => {
  test('without words lists the pages and the latest run, so the palette is of use when it opens', async () => {
    const all = await found(ann, '')
    expect(all).toContain(`${house.own}/webhooks`)
    expect(all).toContain('/console/operator/people')
    expect(all).toContain(`${house.own}/runs/${run}`)
  })

  test.each<[string, () => string]>([
    ['credits', () => `${house.own}/credits`],
    ['sample.search', () => `${house.own}/tasks/sample.search`],
    ['nightly', () => `${house.own}/keys`],
    ['ann', () => `${house.own}/members`],
    ['ann@example', () => `${house.own}/members`],
  ])('finds %s', async (search, path) => {
    expect(await found(ann, search)).toContain(path())
  })

  test('forgives typing errors in the names of pages and tasks', async () => {
    expect((await found(ann, 'credts'))[0]).toBe(`${house.own}/credits`)
    expect((await found(ann, 'rnu'))[0]).toBe(`${house.own}/runs`)
    expect(await found(ann, 'sampel')).toContain(`${house.own}/tasks/sample.search`)
  })

  test('forgives typing errors in the names of sources', async () => {
    expect(await found(ann, 'smple')).toContain('/console/operator/sources/sample')
  })

  test('puts pages and commands before tasks and runs, and a forgiven name after every exact match', async () => {
    // A run's title has the word; the page of the members is one letter away.
    const titled = await startRun(ann, house, 'membrs of the band')
    expect(await found(ann, 'membrs')).toEqual([`${house.own}/runs/${titled}`, `${house.own}/members`])
    expect((await found(ann, 'run')).slice(0, 3)).toEqual([
      `${house.own}/runs`,
      `${house.own}/tasks`,
      `${house.own}/runs?status=queued&#38;status=running`,
    ])
  })

  test.each([
    ['new run', '/tasks'],
    ['create key', '/keys#name'],
    ['create a webhook', '/webhooks#url'],
    ['invite', '/members#email'],
    ['shortcut', '/search#shortcuts'],
  ])('finds the command for "%s"', async (search, path) => {
    expect((await found(ann, search))[0]).toBe(house.own + path)
  })

  test('signs out by a form: reading a page never signs out', async () => {
    expect((await found(ann, 'sign out'))[0]).toBe('/console/sign-out')
    const text = await ann.get(`${house.own}/search?q=sign+out`)
    expect(text).toContain('<form method="post" action="/console/sign-out"><button class="hit">')
  })

  test('offers only the commands that the role allows', async () => {
    const vic = await house.joins('viewer', 'Vic')
    expect(await found(vic, 'invite')).toEqual([])
    expect(await found(vic, 'new run')).toEqual([])
    expect(await found(vic, 'sign out')).toEqual(['/console/sign-out'])
  })

  test('looks at ids only for a search that may be one, as all begin alike', async () => {
    expect(await found(ann, 'run')).not.toContain(`${house.own}/runs/${run}`)
    expect(await found(ann, 'run_')).toContain(`${house.own}/runs/${run}`)
  })

  test('finds a run by its id', async () => {
    expect(await found(ann, run)).toEqual([`${house.own}/runs/${run}`])
  })

  test('shows no pages, sources or webhook addresses that the person may not see', async () => {
    const url = 'http://127.0.0.1:9/secret-path'
    const webhook = to(await ann.post(`${house.own}/webhooks`, { url, types: ['CreditsGranted'] }))
    expect(await found(ann, 'secret-path')).toEqual([webhook])
    const vera = await house.joins('viewer', 'Vera')
    expect(await found(vera, 'secret-path')).toEqual([])
    expect((await found(vera, '')).filter((path) => path.includes('/operator'))).toEqual([])
    expect(await found(vera, 'sample')).not.toContain('/console/operator/sources')
  })

  test('finds nothing of another account', async () => {
    const elsewhere = await ann.submit('/console/operator/accounts', { name: 'Other', credits: '5' })
    const other = /acc_\w+/.exec(elsewhere.slice(elsewhere.indexOf('<dl')))?.[0]
    const bob = await house.joins('owner', 'Bob', other as typeof house.accountId)
    const text = await bob.get(`/console/${other}/search?q=${run}`)
    expect(text).toContain('Nothing matches')
    expect((await bob.send(`${house.own}/search?q=x`)).status).toBe(404)
  })

  test('says when nothing matches, and shows the search as text', async () => {
    const text = await ann.get(`${house.own}/search?q=${encodeURIComponent('<b>zzz</b>')}`)
    expect(text).toContain('Nothing matches “&#60;b&#62;zzz&#60;/b&#62;”')
  })
})
