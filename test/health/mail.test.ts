/** Mails about the health of tasks: to operators alone, at once and then at most every 20 minutes over all processes. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { Health } from '../../src/domain/health/standing.ts'
import { HealthMail, healthMail } from '../../src/health/mail.ts'
import type { HealthChange } from '../../src/health/watch.ts'
import { A, ann, ben, CAUSE, openStand, type Stand } from '../people/stand.ts'

const MINUTE_MS = 60_000

let stand: Stand
let mails: { to: string; subject: string; text: string }[]
let isAccepted = true
beforeEach(async () => {
  mails = []
  isAccepted = true
  stand = await openStand(temporaryFolder())
  await stand.people.join(ben, { account_id: A, role: 'owner' }, CAUSE)
})
afterEach(() => stand.close())

const join = () => stand.people.join(ann, { account_id: A, role: 'owner', isOperator: true }, CAUSE)

/** The mails of one process of the service. */
const processMail = () =>
  new HealthMail({
    ...stand,
    ...stand.stores,
    publicUrl: 'https://gleaner.example/at',
    mail: {
      async send(to, subject, text) {
        if (isAccepted) mails.push({ to, subject, text })
        return isAccepted
      },
    },
  })

const change = (key: string, from: Health, to: Health): HealthChange => ({
  task: {
    key,
    source: { name: 'shop', title: 'Shop' },
    declaration: { title: 'Search' },
  } as unknown as CatalogueTask,
  from,
  to,
  since: '2026-06-02T12:34:56.000Z',
  drift: to === 'drifting' ? [{ field: 'price', was: 0.98, now: 0.12 }] : [],
})

test('a mail goes to operators alone, and says what happened, since when, and where to look', async () => {
  await join()
  const mail = processMail()
  mail.add(change('shop.search', 'healthy', 'drifting'))
  await mail.send()
  expect(mails).toEqual([
    {
      to: ann.email,
      subject: 'shop.search is drifting (Gleaner)',
      text: `Shop, Search (shop.search) is drifting: fields lost their values though runs succeed.
Since 2026-06-02 12:34 UTC. Before: healthy.
- price was filled in 98 %, now 12 %
https://gleaner.example/at/console/operator/sources/shop

You get this mail because you are an operator of Gleaner.
`,
    },
  ])
  await mail.send()
  expect(mails).toHaveLength(1)
})

test('further changes, of all processes, wait for 20 minutes and then share a mail', async () => {
  await join()
  stand.clock.stopped = Date.now()
  const [one, two] = [processMail(), processMail()]
  one.add(change('shop.search', 'unknown', 'broken'))
  await one.send()
  two.add(change('shop.member', 'healthy', 'broken'))
  two.add(change('shop.items', 'healthy', 'degraded'))
  for (const minutes of [0, 10, 19]) {
    stand.clock.offset = minutes * MINUTE_MS
    await two.send()
    expect(mails).toHaveLength(1)
  }
  stand.clock.offset = 20 * MINUTE_MS
  one.add(change('shop.search', 'broken', 'healthy'))
  await two.send()
  await one.send()
  expect(mails.map(({ subject }) => subject)).toEqual([
    'shop.search is broken (Gleaner)',
    '2 changes in the health of tasks (Gleaner)',
  ])
  stand.clock.offset = 40 * MINUTE_MS
  await one.send()
  expect(mails[2]?.subject).toBe('shop.search is healthy (Gleaner)')
})

test('what no operator got is in the next mail; what comes when nobody is an operator is dropped', async () => {
  stand.clock.stopped = Date.now()
  const mail = processMail()
  mail.add(change('shop.items', 'unknown', 'broken'))
  await mail.send()
  await join()
  mail.add(change('shop.search', 'unknown', 'broken'))
  isAccepted = false
  await mail.send()
  isAccepted = true
  await mail.send()
  expect(mails).toEqual([])
  stand.clock.offset = 20 * MINUTE_MS
  await mail.send()
  expect(mails.map(({ subject }) => subject)).toEqual(['shop.search is broken (Gleaner)'])
})

test('without a mail server nothing is gathered', async () => {
  await join()
  const mail = new HealthMail({ ...stand, ...stand.stores, mail: undefined, publicUrl: 'https://x' })
  mail.add(change('shop.search', 'unknown', 'broken'))
  await mail.send()
  expect((await stand.stores.ephemeral.take('operator', 'health-mail', 1, stand.now())).allowed).toBe(true)
})

test('fields that drift further are a mail of their own kind', () => {
  const [subject, text] = healthMail([change('shop.search', 'drifting', 'drifting')], 'https://x')
  expect(subject).toBe('shop.search is drifting (Gleaner)')
  expect(text).toContain('Further fields drift.')
})
