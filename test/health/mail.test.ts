/** Mails about the health of tasks: to operators alone, at once and then at most every 20 minutes over all processes. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { Health } from '../../src/domain/health/standing.ts'
import { OPERATORS, sourceStream } from '../../src/domain/ids.ts'
import { sourceDecider } from '../../src/domain/source-health.ts'
import { HealthMail, healthMail } from '../../src/health/mail.ts'
import type { HealthChange } from '../../src/health/watch.ts'
import { execute } from '../../src/log/execute.ts'
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

/** Appends an announcement to the stream of the source. */
const announce = (taskKey: string, health: Health) =>
  execute(
    stand.stores.log,
    sourceStream('shop'),
    sourceDecider,
    { type: 'judge', taskKey, health, drift: [], now: stand.now() },
    { ...CAUSE, accountId: OPERATORS },
  )

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
  codes: to === 'broken' ? ['source-blocked'] : [],
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
Next, see what the source answered, and gather what mending the parser needs:
  npm run gleaner -- captures shop.search
  npm run gleaner -- repair shop.search
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

test('of each task, a mail has the last change only, and what is broken comes first', async () => {
  await join()
  const mail = processMail()
  mail.add(change('shop.search', 'healthy', 'degraded'))
  mail.add(change('shop.items', 'unknown', 'degraded'))
  mail.add(change('shop.member', 'unknown', 'broken'))
  mail.add(change('shop.search', 'degraded', 'healthy'))
  await mail.send()
  const said = mails.map(({ text }) => text.match(/shop\.\w+\) is \w+/g))
  expect(said).toEqual([['shop.member) is broken', 'shop.items) is degraded', 'shop.search) is healthy']])
})

test('a change that another process announced as over meanwhile is not mailed', async () => {
  await join()
  const mail = processMail()
  mail.add(change('shop.search', 'unknown', 'broken'))
  mail.add(change('shop.items', 'unknown', 'broken'))
  await announce('shop.search', 'broken')
  await announce('shop.search', 'degraded')
  await announce('shop.items', 'broken')
  await mail.send()
  expect(mails.map(({ subject }) => subject)).toEqual(['shop.items is broken (Gleaner)'])
})

test('the next steps are those for a parser that cannot read its source', () => {
  const broken = change('shop.search', 'healthy', 'broken')
  const textFor = (code: string) => healthMail([{ ...broken, codes: [code] }], 'https://x')[1]
  expect(textFor('source-blocked')).not.toContain('repair')
  for (const code of ['source-changed', 'output-invalid'])
    expect(textFor(code)).toContain('npm run gleaner -- repair shop.search')
})

test('what comes when nobody is an operator is dropped, and a mail that no operator got is tried again at once', async () => {
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
  expect(mails.map(({ subject }) => subject)).toEqual(['shop.search is broken (Gleaner)'])
})

test('a mail that no operator gets is tried ten times in 20 minutes', async () => {
  await join()
  stand.clock.stopped = Date.now()
  let tries = 0
  const mail = new HealthMail({
    ...stand,
    ...stand.stores,
    publicUrl: 'https://x',
    mail: { send: async () => ++tries === 0 },
  })
  mail.add(change('shop.search', 'unknown', 'broken'))
  for (let round = 0; round < 12; round++) await mail.send()
  expect(tries).toBe(10)
  stand.clock.offset = 20 * MINUTE_MS
  await mail.send()
  expect(tries).toBe(11)
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
