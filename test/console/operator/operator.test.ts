import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { accounts as accountsModel } from '../../../projections/accounts.ts'
import { CANARY_ACCOUNT_ID } from '../../../src/domain/health/canary.ts'
import type { ProcessFigures } from '../../../src/metrics.ts'
import { versionOf } from '../../../src/version.ts'
import { type House, idIn, startHouse, to, type Visitor } from '../house.ts'

const wordsOf = (page: string) =>
  page
    .slice(page.indexOf('<main'))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

let house: House
let ann: Visitor
/** the processes of plugins of this process of the service; undefined: no role worker */
let processes: ProcessFigures[] | undefined
const worker = () =>
  processes && {
    ...{ runs: 45, waiting: 3, oldestS: 61, places: 64, processes },
    memoryMb: new Map([['sample', 210.4]]),
    browser: { isInstalled: true, isRunning: true, users: 2 },
  }
beforeAll(async () => {
  house = await startHouse({}, () => ({ startedAt: Date.now() - 61_000, worker: worker() }))
  ann = await house.setUp()
})
afterAll(() => house.close())

describe('the operator', () => {
  test('opens one account and grants credits once, however often a form is sent', async () => {
    const twice = async (path: string, values: Record<string, string>) => {
      const fields = { ...values, idempotency_key: crypto.randomUUID() }
      const answers = await Promise.all([ann.post(path, fields), ann.post(path, fields)])
      return new Set(answers.map(to))
    }
    const opened = [...(await twice('/console/operator/accounts', { name: 'Twice', credits: '5' }))]
    expect(opened).toHaveLength(1)
    await twice(`${opened[0]}/grant`, { amount: '10', reason: 'invoice 17' })
    expect(await house.service.deps.accounts.state(idIn(opened[0]!) as never)).toMatchObject({ balance: 15 })
    const page = await ann.get(opened[0]!)
    expect(page).toMatch(
      /action="[^"]+\/grant"[^>]*><input type="hidden" name="idempotency_key" value="[^"]+"/,
    )
  })

  test("sees that the canary's account is the service's own, and what its suspension stops", async () => {
    const accountId = CANARY_ACCOUNT_ID
    const cause = { accountId, correlationId: 'canary', causationId: 'canary' }
    const { accounts } = house.service.deps
    await accounts.handle({ type: 'open', accountId, name: 'canary', credits: 0 }, cause)
    await house.service.deps.waitUntilProjected(accountsModel)
    expect(wordsOf(await ann.get('/console/operator'))).toContain('canary of the service')
    const page = wordsOf(await ann.get(`/console/operator/accounts/${accountId}`))
    expect(page).toContain('its runs try the tasks, free of charge')
    expect(page).toContain('No task is tried any more until you resume it.')
    expect(page).toContain('Invite somebody')
  })

  test('opens an account, grants, limits, suspends, and invites its first owner', async () => {
    const path = to(await ann.post('/console/operator/accounts', { name: 'Team <Otter>', credits: '5' }))
    expect(await ann.get(path)).toContain('Team &#60;Otter&#62;')
    to(await ann.post(`${path}/grant`, { amount: '10', reason: 'invoice 17' }))
    const refused = async (form: string, values: Record<string, string>) => {
      const response = await ann.post(`${path}/${form}`, values)
      expect(response.status).toBe(422)
      return response.text()
    }
    expect(await refused('grant', { amount: '-1', reason: 'invoice 18' })).toContain('value="invoice 18"')
    to(await ann.post(`${path}/entitle`, { tasks: 'sample.*', concurrent_runs: '2' }))
    expect(await refused('entitle', { tasks: '<script>', concurrent_runs: '7' })).toMatch(
      /&#60;script&#62;<\/textarea>[\s\S]*value="7"/,
    )
    expect(await refused('invite', { email: 'otter', role: 'viewer' })).toMatch(
      /value="otter"[\s\S]*<option value="viewer" selected>/,
    )
    to(await ann.post(`${path}/suspend`, { suspended: 'true' }))
    const state = await house.service.deps.accounts.state(idIn(path) as never)
    expect(state).toMatchObject({
      balance: 15,
      tasks: ['sample.*'],
      suspended: true,
      limits: { concurrent_runs: 2 },
    })
    const invited = await ann.submit(`${path}/invite`, { email: 'otter@example.org', role: 'owner' })
    const link = /http:\/\/127\.0\.0\.1:3000\/console\/invitations\/[\w-]{43}/.exec(invited)![0]
    const otter = await house.enters(link, 'Otter')
    expect(await otter.get(`/console/${idIn(path)}`)).toContain('suspended this account')
    expect(await ann.get('/console/operator/people')).toContain('otter@example.org')
  })

  test('sees the processes of each source by state, their runs and memory, the queue and the stores', async () => {
    const text = async () => wordsOf(await ann.get('/console/operator/system'))
    processes = undefined
    expect(await text()).toContain('This process has no role worker : it executes no runs.')
    processes = []
    expect(await text()).toContain('No source has a process')
    processes = [
      { source: 'zebra', state: 'starting', processes: 1, runs: 0 },
      { source: 'sample', state: 'accepting', processes: 2, runs: 40 },
      { source: 'sample', state: 'draining', processes: 3, runs: 5 },
    ]
    const shown = await text()
    expect(shown).toMatch(
      /Source Starting Accepting Draining Runs Memory Sample[^0-9]* 0 2 3 45 210 MiB zebra 1 0 0 0 – /,
    )
    expect(shown).toMatch(/Running 45 of at most 64 Waiting 3 Oldest waiting 1 min 1 s/)
    expect(shown).toContain(`Gleaner ${versionOf()}`)
    expect(shown).toMatch(/Up for 1 min 1 s/)
    expect(shown).toMatch(/Event log SQLite in DATA_DIR ready Read models SQLite in DATA_DIR ready/)
    expect(shown).toContain('Running, for 2 runs and sign-ins.')
    const { artifacts } = house.stores as unknown as { artifacts: { check?: () => Promise<void> } }
    artifacts.check = () => Promise.reject(new Error('away'))
    expect(await text()).toMatch(/Inputs, results and files DATA_DIR failing/)
    artifacts.check = async () => {}
  })
})

describe('a form of the operator', () => {
  const opened = async () => to(await ann.post('/console/operator/accounts', { name: 'Team', credits: '5' }))
  const stateOf = (path: string) => house.service.deps.accounts.state(idIn(path) as never)

  test('grants once however often it is sent, and again when the page was shown again', async () => {
    const path = await opened()
    for (const balance of [15, 25]) {
      const idempotency_key = /name="idempotency_key" value="([^"]+)"/.exec(await ann.get(path))?.[1] ?? ''
      const sent = [1, 2, 3].map(() =>
        ann.post(`${path}/grant`, { amount: '10', reason: 'invoice 17', idempotency_key }),
      )
      for (const answer of await Promise.all(sent)) expect(to(answer)).toBe(path)
      expect(await stateOf(path)).toMatchObject({ balance })
    }
  })

  test('takes the tasks and reasons that the API takes, and no others', async () => {
    const path = await opened()
    to(await ann.post(`${path}/entitle`, { tasks: 'photo.profile-download\nforum.*' }))
    expect((await stateOf(path)).tasks).toEqual(['photo.profile-download', 'forum.*'])
    const refused = [
      await ann.post(`${path}/entitle`, { tasks: 'forum.*\n'.repeat(201) }),
      await ann.post(`${path}/entitle`, { tasks: 'a'.repeat(101) }),
      await ann.post(`${path}/grant`, { amount: '1', reason: 'a'.repeat(201) }),
      await ann.post(`${path}/grant`, { amount: '1', reason: 'a\u0007b' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    expect(await refused[2]!.text()).toContain('1 to 200 characters')
    expect(await refused[3]!.text()).toContain('control characters')
    expect(await stateOf(path)).toMatchObject({ balance: 5, tasks: ['photo.profile-download', 'forum.*'] })
  })
})
