/** The images of items on pages: asked for by a switch, served by the service itself, named by their item alone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Transport } from '../../../../src/net/transport/transport.ts'
import { defineSource } from '../../../../src/plugin/source.ts'
import { type ItemsHouse, startItemsHouse } from './house.ts'

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, ...new Array(20).fill(0)])
const asked: string[] = []
const transport: Transport = async ({ url }) => {
  asked.push(url)
  return new Response(JPEG, { headers: { 'content-type': 'image/jpeg' } })
}
const login = { url: '/sign-in', signedIn: { cookies: ['session'] } }

/** A house whose sample tasks belong to a source with images. */
const houseWith = (changes: object) =>
  startItemsHouse({
    transport,
    deps: ({ catalogue }) => ({
      catalogue: {
        ...catalogue,
        get(key: string) {
          const task = catalogue.get(key)
          return task && { ...task, source: defineSource({ ...task.source, ...changes }) }
        },
      },
    }),
  })

let items: ItemsHouse
beforeAll(async () => {
  items = await houseWith({ imageHosts: ['cdn.example'] })
})
afterAll(() => items.close())

const lamp = {
  id: '7',
  image_url: 'https://cdn.example/7.jpg',
  foreign: 'https://elsewhere.example/8.jpg',
  image_urls: ['https://cdn.example/9.jpg', 'https://cdn.example/10.jpg'],
}

test('are links until the reader asks for them, and then come from the service itself', async () => {
  const path = await items.run([lamp])
  const links = await items.ann.get(path)
  expect(links).not.toContain('<img')
  expect(links).toMatch(/href="[^"]*\?images=1#items">.*Show images<\/a>/)
  const shown = await items.ann.get(`${path}?images=1`)
  const sources = [...shown.matchAll(/<img src="([^"]*)"/g)].map(([, source]) => source)
  expect(sources).toEqual([`${path}/images/1/0`, `${path}/images/1/2`, `${path}/images/1/3`])
  const item = await items.ann.get(`${path}/items/1?images=1`)
  expect(item).toContain(`src="${path}/images/1/3"`)
  expect(item).toContain(`href="${path}/items/1">Hide images</a>`)
  expect(item).toContain(`href="${path}?images=1#item-1"`)
  // A row leads to its item with the same choice.
  expect(shown).toContain(`href="${path}/items/1?images=1"`)
  const plain = await items.ann.get(`${path}/items/1`)
  expect(plain).not.toContain('<img')
  expect(plain).toContain(`href="${path}/items/1?images=1">Show images</a>`)
})

test('are answered as images alone, which a browser may keep and can run nothing from', async () => {
  const path = await items.run([lamp])
  const answer = await items.ann.send(`${path}/images/1/3`)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'cache-control': 'private, max-age=86400',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(JPEG)
  expect(asked.at(-1)).toBe('https://cdn.example/10.jpg')
})

test('that the item does not have, or that are on no host of the source, are not found', async () => {
  const path = await items.run([lamp])
  const before = asked.length
  for (const image of ['1/1', '1/4', '1/-1', '1/x', '2/0', '0/0', '1/https%3A%2F%2Fcdn.example%2F7.jpg'])
    expect({ image, status: (await items.ann.send(`${path}/images/${image}`)).status }).toEqual({
      image,
      status: 404,
    })
  expect(asked.length).toBe(before)
})

test('of another account are not found, and nobody who is not signed in gets any', async () => {
  const path = await items.run([lamp])
  const other = await items.house.service.openAccount()
  const ben = await items.house.joins('owner', 'Images', other.accountId)
  const foreign = path.replace(items.house.accountId, other.accountId)
  expect((await ben.send(`${foreign}/images/1/0`)).status).toBe(404)
  expect((await items.house.visitor().send(`${path}/images/1/0`)).status).toBe(303)
})

test('of a source with a login are neither offered nor answered', async () => {
  const closed = await houseWith({ imageHosts: ['cdn.example'], login })
  const path = await closed.run([lamp])
  const page = await closed.ann.get(`${path}?images=1`)
  expect(page).not.toContain('Show images')
  expect(page).not.toContain('<img')
  expect((await closed.ann.send(`${path}/images/1/0`)).status).toBe(404)
  await closed.close()
})
